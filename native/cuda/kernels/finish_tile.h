// The result of a block, in shared memory, on its way out.
#pragma once
#include "cuda/kernels/stream_product.h"

namespace svc::cuda {

// Floats from a column to the next: the padding spreads the lanes over the banks.
constexpr int tile_stride(int rows) { return rows + 4; }

// `sums`: [column][row], of the block's rows and its columns from `first` on.
template <typename Format, int Rows, int Columns, int Threads, bool Gated>
inline void finish_tile(const ProductJob & job, const float * sums, int first) {
    constexpr int units = Rows / (Gated ? 64 : 32), each = Threads / 8, passes = (Columns + each - 1) / each;
    // passes whose values registers hold
    constexpr int some = passes <= 4 ? passes : passes % 3 == 0 ? 3 : 4, parts = (passes + some - 1) / some;
    const int thread = thread_index(), row = thread % 8 * 4;
    const auto column_of = [&](int part, int pass) { return (part * some + pass) * each + thread / 8; };
    // what the next rows need is on its way while these are finished
    FinishFour fours[some], next[some];
    const auto load = [&](int unit, int part) {
        SVC_UNROLL
        for (int pass = 0; pass < some; pass++) {
            const int n = first + column_of(part, pass), within = n < job.columns ? n : job.columns - 1;
            next[pass].constants(job.finish, (block_x() * units + unit) * 32 + row);
            next[pass].load(job.finish, job.x, within, job.from.of(within));
        }
    };
    load(0, 0);
    SVC_UNROLL_BY(1)
    for (int i = 0; i < units * parts; i++) {
        const int unit = i / parts, part = i % parts;
        SVC_UNROLL
        for (int pass = 0; pass < some; pass++) fours[pass] = next[pass];
        if (i + 1 < units * parts) load((i + 1) / parts, (i + 1) % parts);
        SVC_UNROLL
        for (int pass = 0; pass < some; pass++) {
            const int n = column_of(part, pass);
            const bool wanted = (Columns % (some * each) == 0 || n < Columns) && first + n < job.columns;
            const auto total = [&](int from) {
                Four sum = {};
                if (Columns % (some * each) == 0 || n < Columns)
                    sum = *reinterpret_cast<const Four *>(sums + n * tile_stride(Rows) + from + row);
                SVC_UNROLL
                for (int k = 0; k < 4; k++) sum.v[k] *= fours[pass].factor;
                return sum;
            };
            Four out = total(unit * (Gated ? 64 : 32));
            if constexpr (Gated) {
                const Four other = total(unit * 64 + 32);
                SVC_UNROLL
                for (int k = 0; k < 4; k++) out.v[k] = silu(out.v[k]) * other.v[k];
            }
            fours[pass].template store<Format>(job.finish, out, wanted);
        }
    }
}

} // namespace svc::cuda
