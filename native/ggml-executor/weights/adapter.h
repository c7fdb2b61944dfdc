// LoRA adapters: low-rank updates of matrices, y = W · x + weight · b · (a · x) with the scale in b. Sessions with
// different adapters share a batch: the product with W is computed for all columns at once.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ggml-executor/weights/pack.h"
#include "ggml-executor/graph.h"
#include "model/executor.h"

namespace svc {

struct Network;

class Adapter : public AdapterWeights {
public:
    // The updates have passed check_adapter().
    Adapter(const Network & network, const Compute & compute, const std::vector<LoraUpdate> & updates, float scale);
    Adapter(const Adapter &) = delete;
    Adapter & operator=(const Adapter &) = delete;

    // For our kernels: the two of each layer of a stack, by its prefix, or that of a matrix, by its name; null if it has
    // none.
    const LowRank * packed(const std::string & name) const;
    // Largest number of rows of the first factors of a product.
    int most_rows() const { return most_rows_; }
    // For ggml's, by the name of a matrix.
    struct Factors {
        ggml_tensor *a, *b; // [inputs, rank], [rank, outputs]
    };
    const Factors * factors(const std::string & name) const;

private:
    std::map<std::string, std::vector<LowRank>> packed_;
    std::vector<PackedMatrix> matrices_; // memory of the above
    int most_rows_ = 0;
    std::map<std::string, Factors> factors_;
    Storage storage_; // memory of the above
};

// The columns of a matrix, sequences or sessions that a graph computes, and the adapters that they use. A graph may have room
// for more. Operations on our kernels read this when they run, ggml's when they are built. The sessions own the adapters.
class AdapterRuns {
public:
    int columns() const { return columns_; }
    // The next `count` columns.
    void add(const AdapterUse & use, int count);
    // The same when each column becomes several, and when all columns are repeated.
    AdapterRuns widened(int factor) const;
    AdapterRuns twice(int columns) const;
    // The same for some of the columns, ascending.
    AdapterRuns selected(const std::vector<int> & columns) const;

    struct Run {
        const Adapter * adapter;
        float weight;
        int first, count;
        bool operator==(const Run & other) const = default;
    };
    const std::vector<Run> & runs() const { return runs_; }

private:
    void append(const Run & run);
    std::vector<Run> runs_;
    int columns_ = 0;
};

// Adds the updates of the matrix `name` to y = W · x, in ggml's operations.
ggml_tensor * add_updates(
    Graph & graph, const std::string & name, const AdapterRuns * runs, ggml_tensor * x, ggml_tensor * y
);
// Number of nodes that this adds.
constexpr size_t update_nodes = 6;

// Updates of a stack or a matrix for our kernels, with scratch memory.
class PackedUpdates {
public:
    PackedUpdates() = default;
    PackedUpdates(const std::string & name, const AdapterRuns & runs, int64_t columns);
    Adapted view() const { return {runs_.data(), static_cast<int>(runs_.size())}; }
    Span low() { return {low_.data(), stride_}; }

private:
    std::vector<AdaptedColumns> runs_;
    std::vector<float> low_;
    size_t stride_ = 0;
};

} // namespace svc
