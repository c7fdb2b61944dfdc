// One MiniCPM-4 stack: RMSNorm, grouped-query attention with long-rope, SwiGLU. Shared by the base LM, the
// residual LM, the local encoder and the local DiT (official modules/minicpm4/model.py).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/config.h"
#include "model/cpu_stack.h"
#include "model/kv_cache.h"
#include "model/linear.h"
#include "model/text_attention.h"
#include "model/weights.h"
#include "runtime/graph.h"

namespace svc {

// Attention of consecutive columns of a batch over one session's cache.
struct CachedSegment {
    const KvLayer * layers = nullptr; // one per layer of the stack
    int first_column = 0;
    int columns = 0;
    int kv_length = 0;            // cells attended to
    ggml_tensor * rows = nullptr; // int64 [columns]: destination cells of the new keys and values
    ggml_tensor * mask = nullptr; // float16 [kv_length, columns]: 0 or -inf
    AdapterUse adapter = {};
    TextAttention * text = nullptr; // if not null, receives the attention of the last column
};

class Transformer {
public:
    Transformer(
        Weights & weights, const std::string & prefix, const TransformerConfig & config, const RopeConfig & rope
    );

    // Causal, with caches: x [hidden, n], positions int32 [n]. Returns the normed hidden states of the wanted columns
    // (ascending; default: all): [hidden, wanted]. If none are wanted, only fills the caches; the result must not be
    // read.
    ggml_tensor * build_cached(
        Graph & graph, ggml_tensor * x, ggml_tensor * positions, const std::vector<CachedSegment> & segments,
        const std::optional<std::vector<int>> & wanted = std::nullopt
    ) const;

    // Bidirectional, over independent short sequences: x [hidden, length, sequences], positions int32 [length].
    // Returns the normed hidden states of `count` tokens from `first` of each sequence: [hidden, count, sequences].
    // `adapters` of the sequences.
    ggml_tensor * build_local(
        Graph & graph, ggml_tensor * x, ggml_tensor * positions, int first, int count, const AdapterRuns & adapters = {}
    ) const;

    const TransformerConfig & config() const { return config_; }
    // The stack on our kernels; null where ggml's are used.
    const CpuStack * cpu() const { return cpu_.get(); }

private:
    struct Layer {
        ggml_tensor * attention_norm;
        Matrix q, k, v, o;
        ggml_tensor * ffn_norm;
        Matrix gate, up, down;
    };
    ggml_tensor * norm(Graph & graph, ggml_tensor * x, ggml_tensor * weight) const;
    ggml_tensor * rotate(Graph & graph, ggml_tensor * x, ggml_tensor * positions) const;
    ggml_tensor * add_residual(Graph & graph, ggml_tensor * x, ggml_tensor * branch) const;
    ggml_tensor * feed_forward(Graph & graph, const Layer & layer, ggml_tensor * x) const;
    ggml_tensor * look(Graph & graph, ggml_tensor * queries, ggml_tensor * keys, const TextCells & cells) const;
    ggml_tensor * attend(Graph & graph, ggml_tensor * q, ggml_tensor * k, ggml_tensor * v, ggml_tensor * mask) const;

    // A matrix of attention in layer i, for the adapters of x.
    ggml_tensor * adapted(
        Graph & graph, const Matrix & weight, size_t i, const char * name, ggml_tensor * x, const AdapterRuns & adapters
    ) const;

    std::string prefix_;
    TransformerConfig config_;
    RopeConfig rope_;
    std::unique_ptr<CpuStack> cpu_; // or, on other devices, the layers as ggml nodes:
    ggml_tensor * rope_factors_ = nullptr;
    std::vector<Layer> layers_;
    ggml_tensor * output_norm_ = nullptr;
};

} // namespace svc
