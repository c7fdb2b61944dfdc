// A transformer stack on our CPU kernels: all layers as one custom operation of a graph.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/config.h"
#include "model/kv_cache.h"
#include "model/linear.h"

namespace svc {

// Weights of a stack, packed for the kernels.
class CpuStack {
public:
    CpuStack(Weights & weights, const std::string & prefix, const TransformerConfig & config, const RopeConfig & rope);
    const std::string & prefix() const { return prefix_; }
    // Valid after upload().
    const StackWeights & view() const;
    // Writes cos and sin of the angles of a position: head_dim values.
    void rotation(int position, float * values) const;
    int head_dim() const { return config_.head_dim; }

private:
    struct Layer {
        ggml_tensor *attention_norm, *ffn_norm;
        Matrix qkv, o, gate_up, down;
    };
    std::string prefix_;
    TransformerConfig config_;
    float rope_scale_;
    std::vector<float> inverse_factors_, inverse_frequencies_;
    std::vector<Layer> layers_;
    ggml_tensor * output_norm_;
    mutable std::vector<LayerWeights> layer_views_;
    mutable StackWeights view_;
};

// Scratch memory of a stack; grows on demand.
class CpuScratch {
public:
    // For `columns` input columns; `attention_memory`: floats after attention_floats(), see StackScratch.
    CpuScratch(const StackWeights & weights, int64_t columns, size_t attention_memory, int members);
    StackScratch & view() { return view_; }
    // Makes room for products with another weight.
    void reserve(const Packed & weight, int64_t columns);
    // Once all products have reserved: lets adapters update them.
    void adapt(Span low);
    float * rotation() { return rotation_.data(); }

private:
    void refresh();

    std::vector<float> x_, qkv_, attended_, ffn_, floats_, squares_, factors_, attention_, rotation_;
    ColumnMemory normed_, inner_;
    StackScratch view_;
};

// Attention memory of local stacks: the keys of a sequence.
size_t local_attention_memory(const StackWeights & weights, int length);

// See Transformer::build_local and build_cached.
ggml_tensor * cpu_local_stack(
    Graph & graph, const CpuStack & stack, ggml_tensor * x, int first, int count, const AdapterRuns & adapters
);
struct CachedSegment;
ggml_tensor * cpu_cached_stack(
    Graph & graph, const CpuStack & stack, ggml_tensor * x, ggml_tensor * positions,
    const std::vector<CachedSegment> & segments, const std::optional<std::vector<int>> & wanted
);

} // namespace svc
