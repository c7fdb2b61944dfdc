// Weights as the CPU kernels read them. Plain data: this header is compiled for several instruction sets.
#pragma once
#include <cstddef>
#include <cstdint>

namespace svc {

// Rows are interleaved in tiles of 16; `depth` (values per row) is zero-padded to blocks of 32.
constexpr int tile_rows = 16;
constexpr int block_depth = 32;
constexpr int activation_bytes = 96; // at most, for a block of quantized activations; see block_bytes
// Columns of activations that an instruction reads at most, also where a product has fewer.
constexpr int most_read_columns = 16;

enum class PackedKind {
    f32,        // depth × 16 float32
    f16,        // depth × 16 float16
    bf16,       // depth × 16 bfloat16
    bf16_pairs, // depth / 2 × 16 × 2 bfloat16; the activations are rounded to bfloat16 too
    // in the default byte order:
    i8,         // per block: 8 groups of 16 rows × 4 values, offset by 128; 16 float16 scales
    i8_per_row, // like i8, with one float16 scale per row: [tiles][16]
    i4, // per block: 4 groups of 16 rows × 4 bytes (group g in the low, g + 4 in the high half), offset by 8; 16 float16 scales
    i4_with_min, // like i4 without offset; 16 scale and 16 minimum bytes per block, and 16 float16 for each every 8 blocks (Q4_K)
};

// Byte order of i8, i4 and i4_with_min, which depends on the kernels that read them.
struct ByteOrder {
    int run = 4;        // neighboring values of one row: groups have 16 rows × `run` values
    bool offset = true; // whether i8 is offset by 128
};

constexpr bool is_quantized(PackedKind kind) {
    return kind == PackedKind::i8 || kind == PackedKind::i8_per_row || kind == PackedKind::i4 ||
        kind == PackedKind::i4_with_min;
}

struct Packed {
    PackedKind kind = PackedKind::f32;
    ByteOrder order;
    int rows = 0;
    int depth = 0;
    int blocks = 0; // of depth
    int tiles = 0;  // of rows
    const uint8_t * values = nullptr;
    const uint16_t * scales = nullptr; // i8, i4: [tiles][blocks][16]
    const uint8_t * factors = nullptr; // i4_with_min: [tiles][blocks][scale 16, minimum 16]
    const uint16_t * supers = nullptr; // i4_with_min: [tiles][blocks / 8][scale 16, minimum 16]

    bool quantized() const { return is_quantized(kind); }
    // For bf16_pairs: bfloat16 values between columns of activations. Not a power of two, so that neighboring columns
    // do not compete for the same cache lines.
    size_t pairs_stride() const { return (static_cast<size_t>(depth) + 63) / 64 * 64 + 32; }
    // Size of the values of one tile, in bytes.
    size_t tile_bytes() const {
        switch (kind) {
        case PackedKind::f32: return static_cast<size_t>(depth) * tile_rows * 4;
        case PackedKind::f16:
        case PackedKind::bf16:
        case PackedKind::bf16_pairs: return static_cast<size_t>(depth) * tile_rows * 2;
        case PackedKind::i8:
        case PackedKind::i8_per_row: return static_cast<size_t>(blocks) * 512;
        default: return static_cast<size_t>(blocks) * 256;
        }
    }
};

} // namespace svc
