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

// What a thread copies of each step: pieces of 16 bytes, a fixed distance apart.
template <typename Format, typename Shape>
struct TiledFetch {
    static constexpr int weight_pieces = (Shape::weights + tiled_threads * 16 - 1) / (tiled_threads * 16);
    // four threads share a column of a block: 64 bytes
    static constexpr int column_pieces = Shape::columns / (tiled_threads / 4) > 0 ? (Shape::columns + 63) / 64 : 1;
    const int thread = thread_index(), steps;
    const size_t column_block;
    const uint8_t *weight_from[weight_pieces], *column_from[column_pieces];

    inline TiledFetch(const ProductJob & job, int first)
        : steps(job.weight.steps), column_block(static_cast<size_t>(job.x.capacity) * Format::block_bytes) {
        const uint8_t * weight =
            job.weight.data + static_cast<size_t>(block_x()) * Shape::tiles * steps * Format::step_bytes;
        SVC_UNROLL
        for (int i = 0; i < weight_pieces; i++) {
            const int mine = (i * tiled_threads + thread) * 16, tile = mine / Format::step_bytes;
            weight_from[i] =
                weight + static_cast<size_t>(tile) * steps * Format::step_bytes + mine % Format::step_bytes;
        }
        SVC_UNROLL
        for (int i = 0; i < column_pieces; i++) {
            const int n = first + i * 64 + thread / 4, source = job.from.of(n < job.columns ? n : job.columns - 1);
            column_from[i] = job.x.values + static_cast<size_t>(source) * Format::block_bytes + thread % 4 * 16;
        }
    }
    inline void weights(int step, char * to) const {
        if (step >= steps) return;
        SVC_UNROLL
        for (int i = 0; i < weight_pieces; i++) {
            const int mine = (i * tiled_threads + thread) * 16;
            if (mine < Shape::weights)
                copy_async<16>(to + mine, weight_from[i] + static_cast<size_t>(step) * Format::step_bytes);
        }
    }
    inline void columns(int step, char * to) const {
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
    }
};

// The warps widen the tiles of a step: [tile][block][half][lane], as if they had been bfloat16.
template <typename Shape>
inline void widen_step(const char * from, char * to) {
    const int lane = thread_index() % 32, warp = thread_index() / 32;
    SVC_UNROLL
    for (int unit = 0; unit < Shape::tiles * step_blocks / 8; unit++) {
        const int at = unit * 8 + warp, tile = at / step_blocks, block = at % step_blocks;
        uint32_t a[2][4];
        widen_block(from + tile * Bytes::step_bytes, block, a);
        char * place = to + tile * Bfloats::step_bytes + block * Bfloats::fragment_bytes + lane * 16;
        SVC_UNROLL
        for (int half = 0; half < 2; half++)
            *reinterpret_cast<uint4_t *>(place + half * 512) = {a[half][0], a[half][1], a[half][2], a[half][3]};
    }
}

// The parts that the warps have, to shared memory.
template <typename Shape, int Tiles, int Groups>
inline void store_sums(const float (&y)[Tiles][Groups][4], float * sums) {
    const int lane = thread_index() % 32, warp = thread_index() / 32;
    const int row_warp = warp / tiled_column_warps, column_warp = warp % tiled_column_warps;
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
}

template <typename Format, int Tiles, int Groups, bool Gated>
inline void tiled_product(const ProductJob & job) {
    static_assert(!Format::byte_columns);
    using Shape = TiledShape<Format, Tiles, Groups>;
    const int warp = thread_index() / 32, row_warp = warp / tiled_column_warps, column_warp = warp % tiled_column_warps;
    const int steps = job.weight.steps, first = block_y() * Shape::columns, stages = job.slots;
    char * ring = shared_memory();
    char * wide = ring + stages * Shape::stage;
    const TiledFetch<Format, Shape> fetch(job, first);
    dependents_may_start();
    for (int i = 0; i + 1 < stages; i++) {
        fetch.weights(i, ring + i * Shape::stage);
        copy_commit();
    }
    wait_for_inputs();
    for (int i = 0; i + 1 < stages; i++) {
        fetch.columns(i, ring + i * Shape::stage);
        copy_commit();
    }
    if constexpr (Format::byte_weights) {
        copy_wait(stages - 2);
        barrier();
        if (steps > 0) widen_step<Shape>(ring, wide);
    }
    float y[Tiles][Groups][4] = {};
    int slot = 0, free_slot = stages - 1;
    for (int step = 0; step < steps; step++) {
        // the next stage is there (for bytes) or this one; the one before is free
        copy_wait(Format::byte_weights ? stages - 3 : stages - 2);
        barrier();
        fetch.weights(step + stages - 1, ring + free_slot * Shape::stage);
        fetch.columns(step + stages - 1, ring + free_slot * Shape::stage);
        copy_commit();
        const int next_slot = slot + 1 == stages ? 0 : slot + 1;
        if constexpr (Format::byte_weights) {
            if (step + 1 < steps)
                widen_step<Shape>(ring + next_slot * Shape::stage, wide + (step + 1) % 2 * Shape::wide);
        }
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
    float * sums = reinterpret_cast<float *>(ring);
    store_sums<Shape>(y, sums);
    barrier();
    finish_tile<Format, Shape::rows, Shape::columns, tiled_threads, Gated>(job, sums, first);
}

} // namespace svc::cuda
