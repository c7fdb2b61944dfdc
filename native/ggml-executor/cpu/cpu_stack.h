// A transformer stack on our CPU kernels: all layers as one custom operation of a graph.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ggml-executor/stages/layers.h"
#include "ggml-executor/stages/linear.h"

namespace svc {

// Scratch memory of a stack; grows on demand.
class CpuScratch {
public:
    // For `columns` input columns; `attention_memory`: floats after attention_floats(), see StackScratch.
    CpuScratch(const StackWeights & weights, int64_t columns, size_t attention_memory, int members);
    StackScratch & view() { return view_; }
    // Makes room for products with another weight.
    void reserve(const Packed & weight, int64_t columns);
    // Lets adapters update the products.
    void adapt(Span low);
    float * rotation() { return rotation_.data(); }

private:
    void refresh();

    std::vector<float> x_, qkv_, attended_, ffn_, floats_, squares_, factors_, attention_, rotation_;
    ColumnMemory normed_, inner_;
    StackScratch view_;
};

// A job of a stack with the memory that it points to.
class StackRun {
public:
    // `columns` in ascending sequences, of which the `wanted` ones are computed to the end. None reports peaks of
    // more than `peak_cells` cells. The caller sets the memory of keys and values, and the job's `longest` and `out`.
    StackRun(
        const Compute & compute, const Layers & layers, std::vector<StackColumn> columns, std::vector<int> wanted,
        const AdapterRuns & adapters, size_t peak_cells = 0
    );
    StackRun(const StackRun &) = delete;
    StackRun & operator=(const StackRun &) = delete;
    // Bidirectional attention within sequences of `length` columns, of which `count` from `first` are wanted. `adapters`
    // of the sequences.
    static std::unique_ptr<StackRun> local(
        const Compute & compute, const Layers & layers, int length, int sequences, int first, int count,
        const AdapterRuns & adapters
    );

    // Sets the positions of all columns, which see what is before them.
    void place(const int32_t * positions);
    // Sets the keys and values of a sequence in a layer.
    void keep(int layer, int sequence, float * keys, float * values);
    void report_peaks(int sequence, const PeakRange & range) { peak_ranges_[sequence] = range; }

    CpuScratch scratch;
    StackJob job;

private:
    const Layers & layers_;
    std::vector<StackColumn> columns_;
    std::vector<int> wanted_;
    std::vector<ColumnGroup> groups_, wanted_groups_;
    std::vector<float *> keys_, values_;
    std::vector<float> memory_; // of local keys and values
    std::vector<PeakRange> peak_ranges_;
    PackedUpdates updates_, wanted_updates_;
};

// See Transformer::build_local and build_cached.
ggml_tensor * cpu_local_stack(
    Graph & graph, const Layers & layers, ggml_tensor * x, int first, int count, const AdapterRuns & adapters
);
struct CachedSegment;
ggml_tensor * cpu_cached_stack(
    Graph & graph, const Layers & layers, ggml_tensor * x, ggml_tensor * positions,
    const std::vector<CachedSegment> & segments, const std::optional<std::vector<int>> & wanted,
    const AdapterRuns & adapters
);

} // namespace svc
