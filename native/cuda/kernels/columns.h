// Activations and weights as products read them.
//
// Values are in blocks of 32 along the depth. A block of a column is 32 signed bytes with a float scale, or 32 bfloat16.
// [block][column][32], so that the columns of a product are neighbors.
//
// Weights are in tiles of 16 rows and steps of 128 values: the fragments of the matrix instruction in the order of its
// lanes, then (for bytes) the scales of the rows as float16. So a warp reads a tile as one stream. Within a block, lane
// place p holds the values 8p to 8p + 7, which differs from the documented order of the instruction; a product may
// permute its depth as long as both factors agree.
#pragma once
#include "cuda/simt/simt.h"

namespace svc::cuda {

// Vectors of one load.
struct alignas(8) uint2_t {
    uint32_t x, y;
};
struct alignas(16) uint4_t {
    uint32_t x, y, z, w;
};

constexpr int block_depth = 32, step_blocks = 4, step_depth = step_blocks * block_depth, tile_rows = 16;

// Weights and activations as signed bytes with a scale per block: Q8_0.
struct Bytes {
    static constexpr bool byte_weights = true, byte_columns = true, halves = false;
    static constexpr int block_bytes = 32;     // of a column
    static constexpr int fragment_bytes = 512; // of a tile and a block
    static constexpr int step_bytes =
        step_blocks * fragment_bytes + 128; // scales: [row group][block][rows g and g + 8]
};
// Both as bfloat16.
struct Bfloats {
    static constexpr bool byte_weights = false, byte_columns = false, halves = false;
    static constexpr int block_bytes = 64;
    static constexpr int fragment_bytes = 1024;
    static constexpr int step_bytes = step_blocks * fragment_bytes;
};
// Both as float16, which has eight times the precision: the audio VAE's, whose values are small.
struct Halves : Bfloats {
    static constexpr bool halves = true;
};
// Weights as bytes, multiplied as bfloat16 by columns of bfloat16: for many columns, where the arithmetic counts.
struct Mixed {
    static constexpr bool byte_weights = true, byte_columns = false, halves = false;
    static constexpr int block_bytes = Bfloats::block_bytes;
    static constexpr int fragment_bytes = Bytes::fragment_bytes;
    static constexpr int step_bytes = Bytes::step_bytes;
};

struct Columns {
    uint8_t * values = nullptr;
    float * scales = nullptr; // [block][column]; not for bfloat16
    // null, or [column][block]: sums of the squares of the values before their multiplication by the weights of an RMS
    // norm. A product divides its result by the root mean square.
    float * squares = nullptr;
    int capacity = 0; // columns
    int blocks = 0;   // of the depth, padded to whole steps with zeros
    int depth = 0;    // without padding
};

// Which of the columns of sequences a product reads or writes: `count` of each `length`, from `first`.
struct ColumnMap {
    int count = 1, length = 1, first = 0;
    // A division takes as long as a whole step of a small product.
    int of(int n) const { return length == 1 ? n : n / count * length + first + n % count; }
};

struct Weight {
    const uint8_t * data = nullptr;
    int rows = 0;  // padded to whole 32 (or for gated products 64)
    int steps = 0; // of the depth
};

inline float exponential(float x) { return exp2_fast(x * 1.44269504f); }
inline float silu(float x) { return x * reciprocal(1.0f + exponential(-x)); }
inline float hyperbolic_tangent(float x) { return 1.0f - 2.0f * reciprocal(1.0f + exponential(2.0f * x)); }
inline float larger(float a, float b) { return a > b ? a : b; }
inline float magnitude(float x) { return x < 0 ? -x : x; }
inline float float_of_bfloat(uint16_t bits) { return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16); }
// Rounds to even.
inline uint16_t bfloat_of(float x) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, x);
    return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float warp_sum(float x) {
    SVC_UNROLL
    for (int mask = 16; mask > 0; mask /= 2) x += shuffle_xor(x, mask);
    return x;
}
inline float warp_most(float x) {
    SVC_UNROLL
    for (int mask = 16; mask > 0; mask /= 2) x = larger(x, shuffle_xor(x, mask));
    return x;
}

// Four neighbors of a block of 32, which eight neighboring lanes hold; `place` is this lane's among them.
struct alignas(16) Four {
    float v[4];
};
inline float eight_sum(float x) {
    SVC_UNROLL
    for (int mask = 4; mask > 0; mask /= 2) x += shuffle_xor(x, mask);
    return x;
}
inline float eight_most(float x) {
    SVC_UNROLL
    for (int mask = 4; mask > 0; mask /= 2) x = larger(x, shuffle_xor(x, mask));
    return x;
}

// Stores a block of a column. All lanes of the warp take part; those without `wanted` store nothing.
template <typename Format>
inline void store_block(const Columns & out, int block, int column, int place, const Four & x, bool wanted) {
    const size_t at = static_cast<size_t>(block) * out.capacity + column;
    if constexpr (!Format::byte_columns) {
        uint2_t packed;
        packed.x = Format::halves ? half_pair(x.v[0], x.v[1]) : bfloat_pair(x.v[0], x.v[1]);
        packed.y = Format::halves ? half_pair(x.v[2], x.v[3]) : bfloat_pair(x.v[2], x.v[3]);
        if (wanted) *reinterpret_cast<uint2_t *>(out.values + at * Bfloats::block_bytes + place * 8) = packed;
    } else {
        const float peak = eight_most(
            larger(larger(magnitude(x.v[0]), magnitude(x.v[1])), larger(magnitude(x.v[2]), magnitude(x.v[3])))
        );
        const float inverse = peak > 0 ? 127.0f * reciprocal(peak) : 0.0f;
        uint32_t packed = 0;
        SVC_UNROLL
        for (int i = 0; i < 4; i++)
            packed |= (static_cast<uint32_t>(static_cast<int>(nearest(x.v[i] * inverse))) & 255) << (8 * i);
        if (wanted) *reinterpret_cast<uint32_t *>(out.values + at * Bytes::block_bytes + place * 4) = packed;
        if (wanted && place == 0) out.scales[at] = peak * (1.0f / 127.0f);
    }
}
// The same, multiplied by the weights of an RMS norm, with the sum of squares if the columns have them.
template <typename Format>
inline void store_normed(
    const Columns & out, int block, int column, int place, const Four & x, const Four & norm, bool wanted
) {
    if (out.squares) {
        const float sum = eight_sum(x.v[0] * x.v[0] + x.v[1] * x.v[1] + x.v[2] * x.v[2] + x.v[3] * x.v[3]);
        if (wanted && place == 0) out.squares[static_cast<size_t>(column) * out.blocks + block] = sum;
    }
    Four scaled;
    SVC_UNROLL
    for (int i = 0; i < 4; i++) scaled.v[i] = x.v[i] * norm.v[i];
    store_block<Format>(out, block, column, place, scaled, wanted);
}

// 1 / the root mean square of a column, computed by eight neighboring lanes.
inline float norm_factor(const Columns & x, int column, int place, float eps) {
    const float * squares = x.squares + static_cast<size_t>(column) * x.blocks;
    float sum = 0;
    for (int b = place * 4; b < x.blocks; b += 32) {
        const Four four = *reinterpret_cast<const Four *>(squares + b);
        sum += (four.v[0] + four.v[1]) + (four.v[2] + four.v[3]);
    }
    return reciprocal(root(eight_sum(sum) / static_cast<float>(x.depth) + eps));
}

} // namespace svc::cuda
