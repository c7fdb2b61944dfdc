// What tile_registers.h does, computed without tile registers: the kernels for AMX run on any processor with AVX2, which
// tests their products where no AMX is. Follows the operations that Intel's instruction set reference lists. A use that the
// processor would refuse ends the process, as there.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cpu-kernels/tile_shapes.h"

namespace svc {
namespace SVC_ISA {

constexpr int tile_count = 8, tile_height = 16, tile_row_bytes = 64;

struct TileState {
    TileShapes shapes{.palette = 0};
    uint8_t tiles[tile_count][tile_height][tile_row_bytes] = {};
};
static thread_local TileState tile_state;

inline void require_valid(bool valid) {
    if (!valid) __builtin_trap();
}
inline int rows_of(int tile) { return tile_state.shapes.rows[tile]; }
inline int bytes_of(int tile) { return tile_state.shapes.row_bytes[tile]; }
inline void require_shape(int tile) {
    require_valid(tile_state.shapes.palette == 1 && rows_of(tile) > 0 && bytes_of(tile) > 0);
}
inline void require_product(int c, int a, int b) {
    require_shape(a);
    require_shape(b);
    require_shape(c);
    require_valid(c != a && c != b && a != b);
    require_valid(bytes_of(a) % 4 == 0 && bytes_of(b) % 4 == 0 && bytes_of(c) % 4 == 0);
    require_valid(rows_of(c) == rows_of(a) && bytes_of(c) == bytes_of(b) && bytes_of(a) == 4 * rows_of(b));
}

inline void tiles_shape(const TileShapes & shapes) {
    require_valid(shapes.palette == 1 && shapes.start_row == 0);
    for (int i = 0; i < 16; i++) {
        require_valid(shapes.rows[i] <= tile_height && shapes.row_bytes[i] <= tile_row_bytes);
        require_valid((shapes.rows[i] == 0) == (shapes.row_bytes[i] == 0));
        require_valid(i < tile_count || shapes.rows[i] == 0);
    }
    tile_state = {};
    tile_state.shapes = shapes;
}
inline void tiles_release() { tile_state = {}; }

template <int Tile>
inline void tile_zero() {
    require_shape(Tile);
    std::memset(tile_state.tiles[Tile], 0, sizeof(tile_state.tiles[Tile]));
}
template <int Tile>
inline void tile_load(const void * from, size_t stride) {
    tile_zero<Tile>();
    for (int row = 0; row < rows_of(Tile); row++)
        std::memcpy(tile_state.tiles[Tile][row], static_cast<const char *>(from) + row * stride, bytes_of(Tile));
}
template <int Tile>
inline void tile_store(void * to, size_t stride) {
    require_shape(Tile);
    for (int row = 0; row < rows_of(Tile); row++)
        std::memcpy(static_cast<char *>(to) + row * stride, tile_state.tiles[Tile][row], bytes_of(Tile));
}

template <int C, int A, int B>
inline void tile_dot_i8() {
    require_product(C, A, B);
    for (int m = 0; m < rows_of(C); m++) {
        int32_t sums[16];
        std::memcpy(sums, tile_state.tiles[C][m], bytes_of(C));
        for (int k = 0; k < rows_of(B); k++) {
            int8_t a[4];
            std::memcpy(a, tile_state.tiles[A][m] + 4 * k, 4);
            for (int n = 0; n < bytes_of(C) / 4; n++) {
                int8_t b[4];
                std::memcpy(b, tile_state.tiles[B][k] + 4 * n, 4);
                for (int i = 0; i < 4; i++) sums[n] += a[i] * b[i];
            }
        }
        std::memcpy(tile_state.tiles[C][m], sums, bytes_of(C));
    }
}

// Numbers that are too small for a normal float32 become zero, before and after each operation.
inline float flushed(float x) { return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0, x) : x; }
inline float flushed_bfloat(uint16_t upper_half) {
    const uint32_t bits = static_cast<uint32_t>(upper_half) << 16;
    float value;
    std::memcpy(&value, &bits, 4);
    return flushed(value);
}

// The even and the odd products of a row are summed apart, then together, then added.
template <int C, int A, int B>
inline void tile_dot_bf16() {
    require_product(C, A, B);
    for (int m = 0; m < rows_of(C); m++) {
        float even[16] = {}, odd[16] = {}, sums[16];
        for (int k = 0; k < rows_of(B); k++) {
            uint16_t a[2], b[32];
            std::memcpy(a, tile_state.tiles[A][m] + 4 * k, 4);
            std::memcpy(b, tile_state.tiles[B][k], 64);
            const float low = flushed_bfloat(a[0]), high = flushed_bfloat(a[1]);
            for (int n = 0; n < 16; n++) {
                even[n] = flushed(__builtin_fmaf(low, flushed_bfloat(b[2 * n]), even[n]));
                odd[n] = flushed(__builtin_fmaf(high, flushed_bfloat(b[2 * n + 1]), odd[n]));
            }
        }
        std::memcpy(sums, tile_state.tiles[C][m], 64);
        for (float & sum : sums) {
            const auto n = &sum - sums;
            sum = flushed(flushed(sum) + flushed(even[n] + odd[n]));
        }
        std::memcpy(tile_state.tiles[C][m], sums, bytes_of(C));
    }
}

} // namespace SVC_ISA
} // namespace svc
