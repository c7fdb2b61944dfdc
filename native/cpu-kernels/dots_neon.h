// Integer products of 64-bit Arm with the dot-product extension.
#pragma once
#include "cpu-kernels/lanes_neon.h"

namespace svc {
namespace SVC_ISA {

constexpr int max_columns = 4; // limited by the registers
constexpr ByteOrder byte_order{4, false};

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
#pragma GCC unroll 8
        for (int c = 0; c < N; c++) sum[c] = vdupq_n_s32(start ? start[c * stride] : 0);
        add_four<nibbles, 0>(weights + quarter * 16, sum);
        add_four<nibbles, 1>(weights + quarter * 16, sum);
        add_four<nibbles, 2>(weights + quarter * 16, sum);
        add_four<nibbles, 3>(weights + quarter * 16, sum);
    }

private:
    template <bool nibbles, int group>
    void add_four(const uint8_t * weights, int32x4_t * sum) const {
        const Halves rows = load_halves<nibbles>(weights + group * 64);
#pragma GCC unroll 8
        for (int c = 0; c < N; c++) sum[c] = vdotq_laneq_s32(sum[c], rows.first, first[c], group);
#pragma GCC unroll 8
        for (int c = 0; c < N; c++) sum[c] = vdotq_laneq_s32(sum[c], rows.second, second[c], group);
    }
};

} // namespace SVC_ISA
} // namespace svc
