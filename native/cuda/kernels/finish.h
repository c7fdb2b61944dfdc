// What happens to the result of a product before it leaves the kernel.
#pragma once
#include "cuda/kernels/columns.h"

namespace svc::cuda {

enum class Activation : int {
    none,
    silu,
    levels, // tanh, rounded to `levels` steps on each side of zero: finite scalar quantization
};

struct Finish {
    float eps = 0; // of the RMS norm, if the columns have squares
    const float * bias = nullptr;
    const float * addition = nullptr; // null, or [column of the product][addition_stride]: the update of an adapter
    int addition_stride = 0;
    Activation activation = Activation::none;
    float levels = 0;
    const float * residual = nullptr; // as out: out = residual + residual_scale · y
    float residual_scale = 1;
    float * out = nullptr; // or null
    int stride = 0;        // of out and residual, in floats
    ColumnMap to = {};     // columns of out, residual and next
    Columns next = {};     // the result as input of another product, if values is set
    const float * norm = nullptr;
    int next_block = 0; // where it begins in `next`
};

// A thread finishes four rows of a column; eight neighboring threads share a block of 32 rows. What it needs besides the
// product is loaded as early as possible: `constants` before the inputs are there, `load` after.
struct FinishFour {
    Four bias, norm, residual, addition;
    float factor;
    int row, column;

    inline void constants(const Finish & finish, int first_row) {
        row = first_row;
        bias = finish.bias ? *reinterpret_cast<const Four *>(finish.bias + row) : Four{{0, 0, 0, 0}};
        norm = finish.norm ? *reinterpret_cast<const Four *>(finish.norm + row) : Four{{1, 1, 1, 1}};
    }
    // n: a column of the product, `source` the same among the inputs.
    inline void load(const Finish & finish, const Columns & x, int n, int source) {
        column = finish.to.of(n);
        if (finish.addition)
            addition = *reinterpret_cast<const Four *>(
                finish.addition + static_cast<size_t>(n) * finish.addition_stride + row
            );
        if (finish.residual)
            residual =
                *reinterpret_cast<const Four *>(finish.residual + static_cast<size_t>(column) * finish.stride + row);
        factor = x.squares ? norm_factor(x, source, row % 32 / 4, finish.eps) : 1.0f;
    }
    // y already has the factor. All lanes of a warp take part.
    template <typename Format>
    inline void store(const Finish & finish, Four y, bool wanted) {
        SVC_UNROLL
        for (int i = 0; i < 4; i++) {
            y.v[i] += bias.v[i];
            if (finish.addition) y.v[i] += addition.v[i];
            if (finish.activation == Activation::silu) y.v[i] = silu(y.v[i]);
            if (finish.activation == Activation::levels)
                y.v[i] = nearest(hyperbolic_tangent(y.v[i]) * finish.levels) * reciprocal(finish.levels);
            if (finish.residual) y.v[i] = residual.v[i] + finish.residual_scale * y.v[i];
        }
        if (finish.out && wanted)
            *reinterpret_cast<Four *>(finish.out + static_cast<size_t>(column) * finish.stride + row) = y;
        if (finish.next.values)
            store_normed<Format>(
                finish.next, finish.next_block + row / block_depth, column, row % 32 / 4, y, norm, wanted
            );
    }
};

} // namespace svc::cuda
