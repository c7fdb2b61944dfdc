// The weights of a model on a device. All widths are padded with zeros to whole blocks of 32, and heads to 64 or 128.
#pragma once
#include <atomic>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cuda/device.h"
#include "cuda/packing.h"
#include "cuda/tensors.h"
#include "model/description/config.h"
#include "model/description/network.h"

namespace svc::cuda {

struct StackShape : TransformerConfig {
    int head_padded = 0; // 64 or 128
    int width() const { return padded(hidden); }
    int ffn_width() const { return padded(ffn); }
    int qkv_rows() const { return (heads + 2 * kv_heads) * head_padded; }
    int attended() const { return heads * head_padded; }
    // Heads that share keys, as many as a block computes.
    int together() const;
};

struct Linear {
    Weight weight = {};
    const float * bias = nullptr;
    int product = -1; // number in the tables of adapters, or -1
};
struct Stack {
    StackShape shape;
    std::vector<LayerOf<Linear, const float *>> layers;
    const float * output_norm = nullptr;
    const float * rope = nullptr; // table, or null
};

// A matrix that adapters can update, or several that are joined.
struct Target {
    std::vector<std::string> names; // official ones
    std::vector<int> rows;          // of each, as the model has them
    int depth = 0;
    int padded_rows = 0, padded_depth = 0;
    std::vector<int> row_places, depth_places; // where rows and depth are in the padded ones
};

class Network {
public:
    // Fails with BACKEND_UNAVAILABLE if the kernels can't compute such a model, and with CANCELLED.
    Network(Device & device, const Config & config, const Tensors & tensors, const std::atomic<bool> & stopping);

    const Config & config;
    const Format format;
    Stack base_lm, residual_lm, encoder, dit;
    Linear encoder_in, enc_to_lm, fsq_in, fsq_out, stop_proj, stop_head, fusion, lm_to_dit, res_to_dit, cond, out;
    std::vector<float> special_token;                             // padded
    const float *dit_in_weight = nullptr, *dit_in_bias = nullptr; // [feature_dim][padded hidden]
    std::vector<Target> targets;                                  // by product
    size_t weight_bytes() const { return arena_.bytes(); }

    // Embeddings of a time and of a step width, computed on the host: once for each step of a schedule.
    std::vector<float> time_mlp(const std::vector<float> & sinusoids) const { return embed(time_, sinusoids); }
    std::vector<float> delta_mlp(const std::vector<float> & sinusoids) const { return embed(delta_, sinusoids); }
    // Their sum, padded.
    std::vector<float> time_row(float time, float delta) const;

private:
    struct VectorName {
        std::string name;
        int64_t count;
    };
    struct NameLoader;
    using Names = NetworkOf<MatrixName, VectorName, std::vector<MatrixName>, MatrixName>;
    struct TimeEmbedding {
        std::vector<float> weight[2], bias[2];
    };
    // Where rows or values of the depth are in the padded ones.
    using Places = std::vector<int>;

    std::vector<float> values(const MatrixName & matrix) const;
    std::vector<float> values(const VectorName & vector) const;
    Weight upload(const PackedMatrix & matrix);
    const float * upload(const VectorName & vector);
    Linear linear(const LinearOf<MatrixName, VectorName> & names);
    Linear matrix(const MatrixName & name, const Places & rows, const Places & depth, int padded_depth);
    Stack stack(const StackOf<std::vector<MatrixName>, VectorName> & names, int positions);
    LayerOf<Linear, const float *> layer(
        const LayerOf<std::vector<MatrixName>, VectorName> & names, const StackShape & shape
    );
    Linear qkv(const std::vector<MatrixName> & names, const StackShape & shape);
    Linear gate_up(const std::vector<MatrixName> & names, const StackShape & shape);
    Linear make_fusion(const LinearOf<MatrixName, VectorName> & names);
    // The number of a product that adapters can update; -1 if they can't.
    int add_target(
        const std::vector<MatrixName> & names, const Places & rows, const Places & depth, int padded_rows,
        int padded_depth
    );
    const float * rope_table(int head_padded, int positions);
    static std::vector<float> embed(const TimeEmbedding & layers, std::vector<float> x);

    const Tensors & tensors_;
    const std::atomic<bool> & stopping_;
    Arena arena_;
    std::map<std::string, std::string> official_names_; // of matrices that adapters can update, by those in the file
    std::map<std::pair<int, int>, const float *> rope_tables_;
    TimeEmbedding time_, delta_;
};

} // namespace svc::cuda
