// All stages of a model but the audio VAE in plain loops of double precision: the oracle that other executors are compared
// with. Rows are positions, [width] each.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/description/flow_schedule.h"
#include "model/description/network.h"
#include "model/description/rotation.h"
#include "model/executor.h"
#include "model/file/gguf_file.h"

namespace svc::reference {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

// Named intermediates; null where nobody asks for them.
using Taps = std::map<std::string, Rows>;

struct Matrix {
    std::vector<std::string> names; // of its parts, whose rows follow each other
    std::vector<int64_t> parts;     // their numbers of rows
    int64_t in = 0, out = 0;
    std::vector<double> values;
};
using Linear = LinearOf<Matrix, Row>;
using Stack = StackOf<Matrix, Row>;
using Weights = NetworkOf<Matrix, Row>;

// The updates of an adapter, by the name of a matrix in the file.
struct Adapter : AdapterWeights {
    struct Update {
        int rank;
        std::vector<double> a, b; // with the scale in b
    };
    std::map<std::string, Update> updates;
};

// Keys and values of a layer, a row per position.
struct LayerCache {
    Rows keys, values;
};
using Caches = std::vector<LayerCache>; // one per layer

// Cells whose largest weight each head of the last position reports, [layer · heads + head].
struct Look {
    TextCells cells;
    std::vector<float> peaks = {};
};

// All values of a tensor of the file.
Row read_values(const GgufFile & file, const std::string & name);

class Network {
public:
    Network(const Config & config, const GgufFile & file);

    // weight · x + bias, with the update of an adapter; the bias may be empty
    Row product(const Matrix & weight, const Row & x, const Row & bias, const AdapterUse & use) const;
    Row linear(const Linear & linear, const Row & x, const AdapterUse & use) const;

    Row token(int32_t id) const;
    // Causal: adds keys and values of the positions to the caches; returns normed hidden states.
    Rows cached(
        const Stack & stack, Rows x, Caches & caches, const AdapterUse & use, Look * look = nullptr,
        Taps * taps = nullptr
    ) const;
    // Bidirectional, positions from 0.
    Rows local(const Stack & stack, Rows x, const AdapterUse & use) const;
    // A patch, [patch_size · feature_dim] → [local_encoder.hidden]
    Row encode_patch(const float * patch) const;
    Row quantize(const Row & x, Taps * taps = nullptr) const;
    // Input of the residual LM from a hidden state and the embedding of a patch, zero for a token.
    Row fuse(const Row & hidden, const Row & embedding, const AdapterUse & use) const;
    Row stop(const Row & hidden) const;
    // Tokens that condition LocDiT.
    Rows condition(const Row & lm, const Row & residual, const AdapterUse & use) const;
    Row time_embedding(const Linear & first, const Linear & second, float time) const;
    // Velocity of a patch, frames of [feature_dim].
    Rows velocity(const Rows & x, const Rows & mu, const Row & time, const Rows & cond, const AdapterUse & use) const;
    Rows flow(
        const FlowSchedule & schedule, Rows noise, const Rows & mu, const Rows & cond, float cfg,
        const AdapterUse & use, std::vector<Rows> * trajectory = nullptr
    ) const;
    // Frames of a patch.
    Rows frames(const float * patch) const;

    const Config & config;
    const Weights weights;

private:
    Rows run(
        const Stack & stack, Rows x, Caches & caches, int first, bool causal, const AdapterUse & use, Look * look,
        Taps * taps
    ) const;
    void rotate(const Stack & stack, double * head, int position) const;

    const Rotation rotation_;
};

} // namespace svc::reference
