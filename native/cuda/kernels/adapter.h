// Updates of LoRA adapters, which differ from stream to stream: y += weight · b · (a · x), computed beside the product and
// added by its finish.
#pragma once
#include "cuda/kernels/columns.h"

namespace svc::cuda {

// Of an adapter and a product; rank 0: none. The factors of joined matrices are joined, too: b has zeros elsewhere.
struct AdapterFactors {
    const float * a = nullptr; // [rank][depth, padded to whole blocks]
    const float * b = nullptr; // [rank][rows, padded]
    int rank = 0;
};

// Of joined factors: three matrices of the largest rank.
constexpr int most_adapter_rank = 3 * 4096;

struct AdapterJob {
    Columns x = {};
    ColumnMap from = {};
    float eps = 0; // of the RMS norm, if the columns have squares
    int columns = 0;
    // the stream of column n is n / each % streams
    int each = 1, streams = 1;
    const AdapterFactors * const * adapters = nullptr; // [stream]: of all products; null: none
    const float * weights = nullptr;                   // [stream]
    int product = 0;
    int depth = 0, rows = 0; // padded
    float * out = nullptr;   // [column][rows]
};

constexpr size_t adapter_shared(int rank) { return (static_cast<size_t>(rank) + 8) * sizeof(float); }

// A block has a column: its warps share the rank, then its threads the rows.
template <typename Format>
inline void adapter(const AdapterJob & job) {
    const int thread = thread_index(), lane = thread % 32, warp = thread / 32, n = block_x();
    float * low = reinterpret_cast<float *>(shared_memory());
    dependents_may_start();
    wait_for_inputs();
    const int stream = n / job.each % job.streams, source = job.from.of(n);
    const AdapterFactors * all = job.adapters[stream];
    float * out = job.out + static_cast<size_t>(n) * job.rows;
    const AdapterFactors factors = all ? all[job.product] : AdapterFactors{};
    if (factors.rank == 0) {
        for (int row = thread; row < job.rows; row += 256) out[row] = 0;
        return;
    }
    const float factor = job.weights[stream] * (job.x.squares ? norm_factor(job.x, source, lane % 8, job.eps) : 1.0f);
    const auto value = [&](int k) {
        const size_t at = static_cast<size_t>(k / block_depth) * job.x.capacity + source;
        if constexpr (Format::byte_columns)
            return static_cast<float>(
                       reinterpret_cast<const int8_t *>(job.x.values)[at * block_depth + k % block_depth]
                   ) *
                job.x.scales[at];
        else
            return float_of_bfloat(
                reinterpret_cast<const uint16_t *>(job.x.values)[at * block_depth + k % block_depth]
            );
    };
    for (int r = warp; r < factors.rank; r += 8) {
        const float * a = factors.a + static_cast<size_t>(r) * job.depth;
        float sum = 0;
        for (int k = lane; k < job.depth; k += 32) sum += a[k] * value(k);
        sum = warp_sum(sum);
        if (lane == 0) low[r] = sum * factor;
    }
    barrier();
    for (int row = thread; row < job.rows; row += 256) {
        float sum = 0;
        for (int r = 0; r < factors.rank; r++) sum += factors.b[static_cast<size_t>(r) * job.rows + row] * low[r];
        out[row] = sum;
    }
}

} // namespace svc::cuda
