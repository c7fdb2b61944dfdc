// Columns of floats as input of a product, and what stands between the language models.
#pragma once
#include "cuda/kernels/columns.h"

namespace svc::cuda {

struct PrepareJob {
    const float * a = nullptr; // rows of `stride`
    int stride = 0;
    int depth = 0; // a multiple of 4
    int columns = 0;
    // null, or the columns are `each` of every stream and `a` has those of every slot
    const int * slots = nullptr;
    int each = 1;
    // null, or flags of columns that are taken from [slot][stride] of `replacement` instead; with `slots_of`
    const int * replaced = nullptr;
    const float * replacement = nullptr;
    const int * slots_of = nullptr; // [column]
    const float * norm = nullptr;
    float * out = nullptr; // null, or a copy; stride as a
    ColumnMap to = {};
    Columns next = {};
};

// A warp has 128 values of a column.
template <typename Format>
inline void prepare(const PrepareJob & job) {
    const int lane = thread_index() % 32, n = block_y() * 8 + thread_index() / 32, row = block_x() * 128 + lane * 4;
    dependents_may_start();
    wait_for_inputs();
    if (n >= job.columns) return;
    const bool within = row < job.depth;
    const int source = job.slots ? job.slots[n / job.each] * job.each + n % job.each : n;
    const float * from = job.replaced && job.replaced[n]
        ? job.replacement + static_cast<size_t>(job.slots_of[n]) * job.stride
        : job.a + static_cast<size_t>(source) * job.stride;
    Four x = {{0, 0, 0, 0}}, norm = {{1, 1, 1, 1}};
    if (within) x = *reinterpret_cast<const Four *>(from + row);
    if (within && job.norm) norm = *reinterpret_cast<const Four *>(job.norm + row);
    const int column = job.to.of(n);
    if (job.out && within) *reinterpret_cast<Four *>(job.out + static_cast<size_t>(column) * job.stride + row) = x;
    if (job.next.values)
        store_normed<Format>(job.next, row / block_depth, column, row % block_depth / 4, x, norm, true);
}

// From the base LM to the residual LM: hidden states of audio positions are quantized, those of tokens are not, and only
// audio positions have an embedding of a patch.
struct FuseJob {
    int columns = 0;
    int stride = 0;            // of all floats here: the padded width
    const float * x = nullptr; // the residual stream behind the last layer
    Columns normed = {};       // the same, with its squares
    const float * norm = nullptr;
    float eps = 0;
    const float * quantized = nullptr;
    const float * embedding = nullptr;
    const int * audio = nullptr; // [column]: 1 or 0
    float * hidden_out = nullptr;
    Columns hidden = {};
    // model 2: the second half of the input of the fusion, whose first half is `hidden`; model 1: the sum of both as input
    // of the residual LM, with the norm of its first layer
    bool concatenates = false;
    Columns next = {};
    int next_block = 0;
    const float * next_norm = nullptr;
    float * next_out = nullptr;
};

// A warp has 128 values of a column.
template <typename Format>
inline void fuse(const FuseJob & job) {
    const int lane = thread_index() % 32, n = block_y() * 8 + thread_index() / 32, row = block_x() * 128 + lane * 4;
    dependents_may_start();
    wait_for_inputs();
    if (n >= job.columns) return;
    const bool within = row < job.stride;
    const size_t at = static_cast<size_t>(n) * job.stride + row;
    const float factor = norm_factor(job.normed, n, lane % 8, job.eps);
    const bool audio = job.audio[n] != 0;
    const Four zero = {{0, 0, 0, 0}};
    Four hidden = zero, embedding = zero, next_norm = {{1, 1, 1, 1}};
    if (within) {
        hidden = *reinterpret_cast<const Four *>((audio ? job.quantized : job.x) + at);
        if (!audio) {
            const Four norm = *reinterpret_cast<const Four *>(job.norm + row);
            SVC_UNROLL
            for (int i = 0; i < 4; i++) hidden.v[i] *= factor * norm.v[i];
        }
        if (audio) embedding = *reinterpret_cast<const Four *>(job.embedding + at);
        *reinterpret_cast<Four *>(job.hidden_out + at) = hidden;
    }
    store_block<Format>(job.hidden, row / block_depth, n, lane % 8, hidden, within);
    Four next = embedding;
    if (!job.concatenates) {
        SVC_UNROLL
        for (int i = 0; i < 4; i++) next.v[i] += hidden.v[i];
        if (within) {
            next_norm = *reinterpret_cast<const Four *>(job.next_norm + row);
            *reinterpret_cast<Four *>(job.next_out + at) = next;
        }
    }
    store_normed<Format>(job.next, job.next_block + row / block_depth, n, lane % 8, next, next_norm, within);
}

struct NormalizeJob {
    const float * x = nullptr; // [column][stride]
    int columns = 0, stride = 0;
    ColumnMap from = {}; // columns of x and normed
    Columns normed = {}; // the same, with its squares
    const float * norm = nullptr;
    float eps = 0;
    float * out = nullptr;
};

// An RMS norm as floats, for what is read back. A warp has 128 values of a column.
inline void normalize(const NormalizeJob & job) {
    const int lane = thread_index() % 32, n = block_y() * 8 + thread_index() / 32, row = block_x() * 128 + lane * 4;
    dependents_may_start();
    wait_for_inputs();
    if (n >= job.columns) return;
    const int source = job.from.of(n);
    const float factor = norm_factor(job.normed, source, lane % 8, job.eps);
    if (row >= job.stride) return;
    const float * x = job.x + static_cast<size_t>(source) * job.stride + row;
    float * out = job.out + static_cast<size_t>(n) * job.stride + row;
    for (int i = 0; i < 4; i++) out[i] = x[i] * factor * job.norm[row + i];
}

} // namespace svc::cuda
