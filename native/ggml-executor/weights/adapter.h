// LoRA adapters: low-rank updates of matrices, y = W · x + weight · b · (a · x) with the scale in b. Sessions with
// different adapters share a batch: the product with W is computed for all columns at once.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cpu-kernels/pack.h"
#include "ggml-executor/graph.h"

namespace svc {

struct Network;

// The update of one matrix as the official trainer writes it: a is rank × inputs, b is outputs × rank, row by row.
struct LoraUpdate {
    std::string target; // official name of the matrix without ".weight"
    int rank;
    std::vector<float> a, b;
};

class Adapter {
public:
    // Fails with MODEL_INVALID if an update does not fit the model. `number` is unique within the model.
    Adapter(
        const Network & network, const Compute & compute, int number, const std::vector<LoraUpdate> & updates,
        float scale
    );
    Adapter(const Adapter &) = delete;
    Adapter & operator=(const Adapter &) = delete;

    const int number;
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

// The adapter of a session; none if null.
struct AdapterUse {
    std::shared_ptr<const Adapter> adapter;
    float weight = 1;
    // The same for the same computed values, in one model.
    std::string key() const;
};

// Columns of a matrix, sequences or sessions of a graph that use adapters. The sessions own the adapters.
class AdapterRuns {
public:
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
    };
    const std::vector<Run> & runs() const { return runs_; }

private:
    void append(const Run & run);
    std::vector<Run> runs_;
    int columns_ = 0;
};

// Adds the updates of the matrix `name` to y = W · x, in ggml's operations.
ggml_tensor * add_updates(
    Graph & graph, const std::string & name, const AdapterRuns & runs, ggml_tensor * x, ggml_tensor * y
);
// Number of nodes that this adds.
constexpr size_t update_nodes = 6;

// Updates of a stack or a matrix for our kernels, with scratch memory.
class PackedUpdates {
public:
    PackedUpdates(const std::string & name, const AdapterRuns & runs, int64_t columns);
    Adapted view() const { return {runs_.data(), static_cast<int>(runs_.size())}; }
    Span low() { return {low_.data(), stride_}; }

private:
    std::vector<AdaptedColumns> runs_;
    std::vector<float> low_;
    size_t stride_ = 0;
};

} // namespace svc
