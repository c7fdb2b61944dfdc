// weight · x for all columns of x: the single implementation of large products.
#pragma once
#include <string>

#include "ggml-executor/weights/adapter.h"
#include "ggml-executor/weights/weights.h"
#include "ggml-executor/graph.h"

namespace svc {

// [in, n] → [out, n]. Uses our kernels on a CPU, ggml's mul_mat elsewhere. Columns of x may overlap.
ggml_tensor * linear(Graph & graph, const Matrix & weight, ggml_tensor * x);

// weight · x + bias + residual; `bias` [out] and `residual` [out, n] may be null. `runs`, which must outlive the graph unless
// null, are the columns to compute, all if null, with adapters that may update the matrix.
ggml_tensor * linear(
    Graph & graph, const Matrix & weight, ggml_tensor * x, ggml_tensor * bias, ggml_tensor * residual,
    const AdapterRuns * runs = nullptr
);

struct Linear : LinearOf<Matrix, ggml_tensor *> {
    ggml_tensor * build(Graph & graph, ggml_tensor * x, const AdapterRuns * runs = nullptr) const;
};

// Memory for the activations of a product with a quantized weight, in the layout of the kernels.
class ColumnMemory {
public:
    void reserve(const Packed & weight, int64_t columns);
    // Once all products have reserved: adapters read the activations too.
    void share();
    Columns view();

private:
    std::vector<int8_t> bytes_;
    std::vector<float> scales_;
    std::vector<int32_t> sums_, i8_sums_;
    std::vector<uint16_t> bfloats_;
};

// The same without a graph, for verification: columns [depth, n] → product [rows, n].
void multiply_columns(
    const KernelSet & kernels, Team & team, const Packed & weight, ColumnMemory & memory,
    const std::vector<float> & columns, std::vector<float> & product
);

} // namespace svc
