// Integer products of 64-bit Arm with int8 matrix multiplication: two rows by two columns at once.
#pragma once
#include "cpu-kernels/lanes_neon.h"

namespace svc {
namespace SVC_ISA {

constexpr int max_columns = 4; // limited by the registers
#define SVC_COLUMN_UNIT 2
constexpr ByteOrder byte_order{8, false};

// A block of N columns of activations in pairs, 8 values of one and of the other. The last of an odd number of columns
// is its own partner.
template <int N>
struct Block {
    static constexpr int pairs = (N + 1) / 2;
    int8x16_t eight[4][pairs];

    void load(const int8_t * bytes, size_t stride) {
#pragma GCC unroll 4
        for (int p = 0; p < pairs; p++) {
#pragma GCC unroll 2
            for (int half = 0; half < 2; half++) {
                const int64x2_t a = vreinterpretq_s64_s8(vld1q_s8(bytes + 2 * p * stride + half * 16));
                const int64x2_t b = vreinterpretq_s64_s8(vld1q_s8(bytes + partner(p) * stride + half * 16));
                eight[2 * half][p] = vreinterpretq_s8_s64(vzip1q_s64(a, b));
                eight[2 * half + 1][p] = vreinterpretq_s8_s64(vzip2q_s64(a, b));
            }
        }
    }
    // sum[c] = start[c · stride] + the products of rows 4 · quarter to 4 · quarter + 3 of a block with column c
    template <bool nibbles>
    [[gnu::always_inline]] void multiply(
        const uint8_t * weights, int quarter, const int32_t * start, size_t stride, int32x4_t * sum
    ) const {
        int32x4_t upper[pairs], lower[pairs]; // a row with two columns, then the next
#pragma GCC unroll 4
        for (int p = 0; p < pairs; p++) {
            const int64_t both = start
                ? static_cast<uint32_t>(start[2 * p * stride]) | static_cast<int64_t>(start[partner(p) * stride]) << 32
                : 0;
            upper[p] = lower[p] = vreinterpretq_s32_s64(vdupq_n_s64(both));
        }
#pragma GCC unroll 2
        for (int group = 0; group < 2; group++) {
            add_two<nibbles>(weights + group * 128 + quarter * 32, group, upper);
            add_two<nibbles>(weights + group * 128 + quarter * 32 + 16, group, lower);
        }
#pragma GCC unroll 8
        for (int c = 0; c < N; c++)
            sum[c] = c % 2 == 0 ? vuzp1q_s32(upper[c / 2], lower[c / 2]) : vuzp2q_s32(upper[c / 2], lower[c / 2]);
    }

private:
    static constexpr int partner(int pair) { return 2 * pair + 1 < N ? 2 * pair + 1 : 2 * pair; }
    template <bool nibbles>
    void add_two(const uint8_t * weights, int group, int32x4_t * sum) const {
        const Halves rows = load_halves<nibbles>(weights);
#pragma GCC unroll 4
        for (int p = 0; p < pairs; p++) sum[p] = vmmlaq_s32(sum[p], rows.first, eight[group][p]);
#pragma GCC unroll 4
        for (int p = 0; p < pairs; p++) sum[p] = vmmlaq_s32(sum[p], rows.second, eight[group + 2][p]);
    }
};

} // namespace SVC_ISA
} // namespace svc
