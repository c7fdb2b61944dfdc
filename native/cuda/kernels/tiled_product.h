// Products of many columns: the time is that of the arithmetic. A block shares steps of its weights and columns in a ring
// of stages. Weights that are bytes are widened to bfloat16 once per block, a step ahead of the products. Columns are
// bfloat16. The warps compute 2 × 4 parts of the result.
#pragma once
#include "cuda/kernels/finish_tile.h"

namespace svc::cuda {

constexpr int tiled_row_warps = 2, tiled_column_warps = 4, tiled_threads = 256;

// Tiles and Groups are those of a warp.
template <typename Format, int Tiles, int Groups>
struct TiledShape {
    static constexpr int rows = tiled_row_warps * Tiles * tile_rows, columns = tiled_column_warps * Groups * 8;
    static constexpr int tiles = rows / tile_rows;
    static constexpr int weights = tiles * Format::step_bytes;
    static constexpr int stage = weights + columns / 8 * group_bytes<Format>;
    static constexpr int wide = Format::byte_weights ? tiles * Bfloats::step_bytes : 0;
    static constexpr int sum_stride = tile_stride(rows);
    static constexpr size_t shared(int stages) {
        const size_t ring = static_cast<size_t>(stages) * stage + 2 * wide,
                     sums = static_cast<size_t>(columns) * sum_stride * sizeof(float);
        return ring > sums ? ring : sums;
    }
};

// What a block multiplies.
template <bool Halved>
struct WideFormat : Bfloats {};
template <>
struct WideFormat<true> : Halves {};
template <typename Format>
using Wide = WideFormat<Format::halves>;

template <typename Format, int Tiles, int Groups, bool Gated>
inline void tiled_product(const ProductJob & job) {
    static_assert(!Format::byte_columns);
    using Shape = TiledShape<Format, Tiles, Groups>;
    const int thread = thread_index(), lane = thread % 32, warp = thread / 32;
    const int row_warp = warp / tiled_column_warps, column_warp = warp % tiled_column_warps;
    const int steps = job.weight.steps, first = block_y() * Shape::columns, stages = job.slots;
    char * ring = shared_memory();
    char * wide = ring + stages * Shape::stage;
    const uint8_t * weight =
        job.weight.data + static_cast<size_t>(block_x()) * Shape::tiles * steps * Format::step_bytes;
    const auto source = [&](int n) { return job.from.of(n < job.columns ? n : job.columns - 1); };

    // what this thread copies of each step: pieces of 16 bytes, a fixed distance apart
    constexpr int weight_pieces = (Shape::weights + tiled_threads * 16 - 1) / (tiled_threads * 16);
    const uint8_t * weight_from[weight_pieces];
    SVC_UNROLL
    for (int i = 0; i < weight_pieces; i++) {
        const int mine = (i * tiled_threads + thread) * 16, tile = mine / Format::step_bytes;
        weight_from[i] = weight + static_cast<size_t>(tile) * steps * Format::step_bytes + mine % Format::step_bytes;
    }
    // four threads share a column of a block: 64 bytes
    constexpr int column_pieces = Shape::columns / (tiled_threads / 4) > 0 ? (Shape::columns + 63) / 64 : 1;
    const uint8_t * column_from[column_pieces];
    SVC_UNROLL
    for (int i = 0; i < column_pieces; i++)
        column_from[i] = job.x.values + static_cast<size_t>(source(first + i * 64 + thread / 4)) * Format::block_bytes +
            thread % 4 * 16;
    const size_t column_block = static_cast<size_t>(job.x.capacity) * Format::block_bytes;

    const auto fetch_weights = [&](int step, char * to) {
        if (step >= steps) return;
        SVC_UNROLL
        for (int i = 0; i < weight_pieces; i++) {
            const int mine = (i * tiled_threads + thread) * 16;
            if (mine < Shape::weights)
                copy_async<16>(to + mine, weight_from[i] + static_cast<size_t>(step) * Format::step_bytes);
        }
    };
    const auto fetch_columns = [&](int step, char * to) {
        if (step >= steps) return;
        to += Shape::weights;
        SVC_UNROLL
        for (int i = 0; i < column_pieces; i++) {
            const int column = i * 64 + thread / 4;
            if (Shape::columns % 64 == 0 || column < Shape::columns) {
                const uint8_t * from = column_from[i] + step * step_blocks * column_block;
                char * place =
                    to + column / 8 * group_bytes<Format> + column % 8 * Format::block_bytes + thread % 4 * 16;
                SVC_UNROLL
                for (int k = 0; k < step_blocks; k++)
                    copy_async<16>(place + k * 8 * Format::block_bytes, from + k * column_block);
            }
        }
    };
    // A warp widens tiles of a step: [tile][block][half][lane], as if they had been bfloat16.
    const auto widen_step = [&](int step, const char * from) {
        if (step >= steps) return;
        char * to = wide + step % 2 * Shape::wide;
        SVC_UNROLL
        for (int unit = 0; unit < Shape::tiles * step_blocks / 8; unit++) {
            const int at = unit * 8 + warp, tile = at / step_blocks, block = at % step_blocks;
            const char * bytes = from + tile * Format::step_bytes;
            const uint32_t pair = *reinterpret_cast<const uint32_t *>(
                bytes + step_blocks * Bytes::fragment_bytes + lane / 4 * 16 + block * 4
            );
            uint32_t a[2][4];
            widen(
                *reinterpret_cast<const uint4_t *>(bytes + block * Bytes::fragment_bytes + lane * 16),
                float_of_half(static_cast<uint16_t>(pair)), float_of_half(static_cast<uint16_t>(pair >> 16)), a
            );
            char * place = to + tile * Bfloats::step_bytes + block * Bfloats::fragment_bytes + lane * 16;
            SVC_UNROLL
            for (int half = 0; half < 2; half++)
                *reinterpret_cast<uint4_t *>(place + half * 512) = {a[half][0], a[half][1], a[half][2], a[half][3]};
        }
    };
    dependents_may_start();
    for (int i = 0; i + 1 < stages; i++) {
        fetch_weights(i, ring + i * Shape::stage);
        copy_commit();
    }
    wait_for_inputs();
    for (int i = 0; i + 1 < stages; i++) {
        fetch_columns(i, ring + i * Shape::stage);
        copy_commit();
    }
    if constexpr (Format::byte_weights) {
        copy_wait(stages - 2);
        barrier();
        widen_step(0, ring);
    }
    float y[Tiles][Groups][4] = {};
    int slot = 0, free_slot = stages - 1;
    for (int step = 0; step < steps; step++) {
        // the next stage is there (for bytes) or this one; the one before is free
        copy_wait(Format::byte_weights ? stages - 3 : stages - 2);
        barrier();
        fetch_weights(step + stages - 1, ring + free_slot * Shape::stage);
        fetch_columns(step + stages - 1, ring + free_slot * Shape::stage);
        copy_commit();
        const int next_slot = slot + 1 == stages ? 0 : slot + 1;
        if constexpr (Format::byte_weights) widen_step(step + 1, ring + next_slot * Shape::stage);
        const char * stage = ring + slot * Shape::stage;
        const char * weights = Format::byte_weights ? wide + step % 2 * Shape::wide : stage;
        SVC_UNROLL_BY(2)
        for (int k = 0; k < step_blocks; k++)
            multiply_block<Wide<Format>, Tiles, Groups>(
                y, weights + row_warp * Tiles * Bfloats::step_bytes, Bfloats::step_bytes,
                stage + Shape::weights + column_warp * Groups * group_bytes<Format>, group_bytes<Format>, k
            );
        free_slot = slot;
        slot = next_slot;
    }
    copy_wait(0);
    barrier(); // the ring becomes the memory of sums

    float * sums = reinterpret_cast<float *>(shared_memory());
    SVC_UNROLL
    for (int t = 0; t < Tiles; t++) {
        SVC_UNROLL
        for (int g = 0; g < Groups; g++) {
            SVC_UNROLL
            for (int i = 0; i < 4; i++)
                sums
                    [((column_warp * Groups + g) * 8 + lane % 4 * 2 + i % 2) * Shape::sum_stride +
                     (row_warp * Tiles + t) * tile_rows + lane / 4 + i / 2 * 8] = y[t][g][i];
        }
    }
    barrier();
    finish_tile<Format, Shape::rows, Shape::columns, tiled_threads, Gated>(job, sums, first);
}

} // namespace svc::cuda
