// Integer products of any 64-bit Arm, summed in 16 bits as far as they fit.
#pragma once
#include "cpu-kernels/lanes_neon.h"

namespace svc {
namespace SVC_ISA {

constexpr int max_columns = 4; // limited by the registers
constexpr ByteOrder byte_order{16, false};

// A block of N columns of activations.
template <int N>
struct Block {
    int8x16_t first[N], second[N];

    void load(const int8_t * bytes, size_t stride) {
#pragma GCC unroll 8
        for (int c = 0; c < N; c++) {
            first[c] = vld1q_s8(bytes + c * stride);
            second[c] = vld1q_s8(bytes + c * stride + 16);
        }
    }
    // sum[c] = start[c · stride] + the products of rows 4 · quarter to 4 · quarter + 3 of a block with column c
    template <bool nibbles>
    [[gnu::always_inline]] void multiply(
        const uint8_t * weights, int quarter, const int32_t * start, size_t stride, int32x4_t * sum
    ) const {
        int32x4_t upper[N], lower[N];
        add_pair<nibbles>(weights + quarter * 64, upper);
        add_pair<nibbles>(weights + quarter * 64 + 32, lower);
#pragma GCC unroll 8
        for (int c = 0; c < N; c++) {
            sum[c] = vpaddq_s32(upper[c], lower[c]);
            if (start) sum[c] = vaddq_s32(sum[c], vdupq_n_s32(start[c * stride]));
        }
    }

private:
    // two sums of one row, then of the next
    template <bool nibbles>
    void add_pair(const uint8_t * weights, int32x4_t * sum) const {
        const Halves a = load_halves<nibbles>(weights), b = load_halves<nibbles>(weights + 16);
#pragma GCC unroll 8
        for (int c = 0; c < N; c++) sum[c] = vpaddq_s32(row<nibbles>(a, c), row<nibbles>(b, c));
    }
    // 2 · 128 · 127 and 4 · 15 · 127 are less than 2^15
    template <bool nibbles>
    int32x4_t row(const Halves & weights, int c) const {
        const int16x8_t half =
            vmlal_high_s8(vmull_s8(vget_low_s8(weights.first), vget_low_s8(first[c])), weights.first, first[c]);
        if (nibbles)
            return vpaddlq_s16(vmlal_high_s8(
                vmlal_s8(half, vget_low_s8(weights.second), vget_low_s8(second[c])), weights.second, second[c]
            ));
        return vpadalq_s16(
            vpaddlq_s16(half),
            vmlal_high_s8(vmull_s8(vget_low_s8(weights.second), vget_low_s8(second[c])), weights.second, second[c])
        );
    }
};

} // namespace SVC_ISA
} // namespace svc
