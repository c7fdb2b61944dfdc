// A transformer stack on our CPU kernels: all layers as one custom operation of a graph.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ggml-executor/stages/layers.h"
#include "ggml-executor/stages/linear.h"

namespace svc {

struct CachedPass;

// Scratch memory of a stack; grows on demand.
class CpuScratch {
public:
    // For `columns` input columns.
    CpuScratch(const StackWeights & weights, int64_t columns, int members);
    StackScratch & view() { return view_; }
    // Makes room for products with another weight.
    void reserve(const Packed & weight, int64_t columns);
    // Makes room for so many floats after attention_floats(), see StackScratch.
    void reserve_attention(size_t floats);
    // Lets adapters update the products.
    void adapt(Span low);
    float * rotation() { return rotation_.data(); }

private:
    void refresh();

    const size_t own_attention_;
    const int members_;
    std::vector<float> x_, qkv_, attended_, ffn_, floats_, squares_, factors_, attention_, rotation_;
    ColumnMemory normed_, inner_;
    StackScratch view_;
};

// A job of a stack with the memory that it points to.
class StackRun {
public:
    // Room for `most_columns` columns.
    StackRun(const Compute & compute, const Layers & layers, int64_t most_columns);
    StackRun(const StackRun &) = delete;
    StackRun & operator=(const StackRun &) = delete;
    // Bidirectional attention within sequences of `length` columns, of which `count` from `first` are wanted.
    static std::unique_ptr<StackRun> local(
        const Compute & compute, const Layers & layers, int length, int sequences, int first, int count
    );

    // Sets the columns, in ascending sequences, of which the `wanted` ones are computed to the end. The caller sets the memory
    // of keys and values, and the job's `longest` and `out`.
    void set(std::vector<StackColumn> columns, std::vector<int> wanted);
    // Sets the adapters of the sequences of local().
    void adapt(const AdapterRuns & sequences);
    // Sets all of a pass, with the positions of its columns.
    void set(const CachedPass & pass, const int32_t * positions);
    // Sets the keys and values of a sequence in a layer.
    void keep(int layer, int sequence, float * keys, float * values);

    CpuScratch scratch;
    StackJob job;

private:
    void place(const int32_t * positions);
    void adapt_columns(const AdapterRuns & columns);
    void report_peaks(const CachedPass & pass);

    const Layers & layers_;
    int local_length_ = 0; // of local()
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
    Graph & graph, const Layers & layers, ggml_tensor * x, int first, int count, const AdapterRuns * runs
);
ggml_tensor * cpu_cached_stack(
    Graph & graph, const Layers & layers, ggml_tensor * x, ggml_tensor * positions, const CachedPass & pass
);

} // namespace svc
