// One MiniCPM-4 stack: RMSNorm, grouped-query attention with long-rope, SwiGLU. Shared by the base LM, the
// residual LM, the local encoder and the local DiT (official modules/minicpm4/model.py).
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/description/config.h"
#include "ggml-executor/stages/kv_cache.h"
#include "ggml-executor/stages/layers.h"
#include "ggml-executor/stages/linear.h"
#include "ggml-executor/stages/text_attention.h"
#include "ggml-executor/weights/weights.h"
#include "ggml-executor/graph.h"

namespace svc {

// Attention of consecutive columns of a batch over one session's cache.
struct CachedSegment {
    const KvLayer * layers = nullptr; // one per layer of the stack
    int first_column = 0;
    int columns = 0;
    int kv_length = 0;              // cells attended to
    ggml_tensor * rows = nullptr;   // int64 [columns]: destination cells of the new keys and values
    ggml_tensor * mask = nullptr;   // float16 [kv_length, columns]: 0 or -inf
    TextAttention * text = nullptr; // if not null, receives the attention of the last column
};

// Columns that a graph runs through a stack with caches. On our kernels, all of it is read when the graph runs, and may have
// changed since it was built; ggml's operations are built for its first state.
struct CachedPass {
    std::vector<CachedSegment> segments = {};
    AdapterRuns runs = {}; // the columns of all segments
    // Ascending: the columns whose hidden states are returned, all if null.
    std::optional<std::vector<int>> wanted = std::nullopt;
};

class Transformer {
public:
    Transformer(Weights & weights, Stack stack, const RopeConfig & rope);

    // Causal, with caches: x [hidden, n], positions int32 [n], of which `pass`, which outlives the graph, may use the first.
    // Returns the normed hidden states of the wanted columns: [hidden, wanted]. If none are wanted, only fills the caches; the
    // result must not be read.
    ggml_tensor * build_cached(Graph & graph, ggml_tensor * x, ggml_tensor * positions, const CachedPass & pass) const;

    // Bidirectional, over independent short sequences: x [hidden, length, sequences], positions int32 [length].
    // Returns the normed hidden states of `count` tokens from `first` of each sequence: [hidden, count, sequences].
    // `runs` of the sequences.
    ggml_tensor * build_local(
        Graph & graph, ggml_tensor * x, ggml_tensor * positions, int first, int count,
        const AdapterRuns * runs = nullptr
    ) const;

    const TransformerConfig & config() const { return layers_.config(); }
    const Layers & layers() const { return layers_; }
    // The layers on our kernels; null where ggml's are used.
    const Layers * cpu() const { return on_kernels_ ? &layers_ : nullptr; }

private:
    // What the layers compute in ggml's operations: sequences of `length` columns.
    struct Batch {
        ggml_tensor * positions; // int32 [length]
        int64_t length, sequences;
        bool wants_any; // otherwise only keys and values are computed
        // of all columns, and of the wanted ones
        const AdapterRuns *runs, *wanted_runs;
        // Called for each layer with queries, keys and values [head_dim, heads, length, sequences]: keeps the last two;
        // returns the attention of all columns [head_dim · heads, columns].
        std::function<void(size_t layer, ggml_tensor * k, ggml_tensor * v)> keep;
        std::function<ggml_tensor *(size_t layer, ggml_tensor * q, ggml_tensor * k, ggml_tensor * v)> attend;
        // The wanted ones among all columns.
        std::function<ggml_tensor *(ggml_tensor * columns)> select;
    };
    // x [hidden, columns] → normed hidden states of the wanted columns
    ggml_tensor * build(Graph & graph, ggml_tensor * x, const Batch & batch) const;
    ggml_tensor * norm(Graph & graph, ggml_tensor * x, ggml_tensor * weight) const;
    ggml_tensor * rotate(Graph & graph, ggml_tensor * x, ggml_tensor * positions) const;
    ggml_tensor * add_residual(Graph & graph, ggml_tensor * x, ggml_tensor * branch) const;
    ggml_tensor * text_attention(
        Graph & graph, ggml_tensor * queries, ggml_tensor * keys, const TextCells & cells
    ) const;
    ggml_tensor * attend(Graph & graph, ggml_tensor * q, ggml_tensor * k, ggml_tensor * v, ggml_tensor * mask) const;

    Layers layers_;
    bool on_kernels_;
    ggml_tensor * rope_factors_ = nullptr; // for ggml's operations
};

} // namespace svc
