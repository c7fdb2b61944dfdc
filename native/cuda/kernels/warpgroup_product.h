// Products of many columns on Hopper: warpgroups multiply 64 rows each by all columns of a block, which the matrix unit
// reads from shared memory itself. Weights go from a ring through registers, where bytes are widened to bfloat16 while the
// unit works on the half step before. Columns are of 16 bits.
#pragma once
#include "cuda/kernels/finish_tile.h"
#include "cuda/kernels/tiled_product.h"
#include "cuda/simt/warpgroup.h"

namespace svc::cuda {

constexpr int warpgroup_rows = 64, warpgroup_threads = 128;

template <typename Format, int Rows, int Columns>
struct WarpgroupShape {
    static constexpr int columns = Columns, tiles = Rows / tile_rows;
    static constexpr int threads = Rows / warpgroup_rows * warpgroup_threads;
    static constexpr int weights = tiles * Format::step_bytes;
    static constexpr int block = Columns * Bfloats::block_bytes; // of the columns
    static constexpr int stage = weights + step_blocks * block;
    static_assert(Columns % (threads / 16) == 0);
    static_assert(weights % 512 == 0 && block % 512 == 0, "the unit finds its swizzle by the address");
    static constexpr size_t shared(int stages) {
        const size_t ring = static_cast<size_t>(stages) * stage + Columns * sizeof(int),
                     sums = static_cast<size_t>(Columns) * tile_stride(Rows) * sizeof(float);
        return ring > sums ? ring : sums;
    }
};

// The four products of a half step: fragments of a tile's blocks 2 · half and the next.
template <typename Format>
inline void load_fragments(uint32_t (&a)[4][4], const char * tile, int half) {
    const int lane = thread_index() % 32;
    SVC_UNROLL
    for (int k = 0; k < 2; k++) {
        const int block = half * 2 + k;
        if constexpr (Format::byte_weights) {
            uint32_t wide[2][4];
            widen_block(tile, block, wide);
            SVC_UNROLL
            for (int i = 0; i < 8; i++) a[k * 2 + i / 4][i % 4] = wide[i / 4][i % 4];
        } else {
            SVC_UNROLL
            for (int i = 0; i < 2; i++) {
                const uint4_t four =
                    *reinterpret_cast<const uint4_t *>(tile + block * Bfloats::fragment_bytes + i * 512 + lane * 16);
                a[k * 2 + i][0] = four.x;
                a[k * 2 + i][1] = four.y;
                a[k * 2 + i][2] = four.z;
                a[k * 2 + i][3] = four.w;
            }
        }
    }
}

// What a thread copies of each step.
template <typename Format, typename Shape>
struct WarpgroupFetch {
    const ProductJob & job;
    const int thread = thread_index(), lane = thread % 32, warp = thread / 32, steps = job.weight.steps;
    const int * sources; // of the columns, in bytes; in shared memory
    const uint8_t * weight = job.weight.data +
        (static_cast<size_t>(block_x()) * Shape::tiles + warp) * steps * Format::step_bytes + lane * 16;
    const size_t column_block = static_cast<size_t>(job.x.capacity) * Bfloats::block_bytes;
    // Sixteen threads share a column's 16 words of a block. The tiles' fragments have the values 8p to 8p + 7 at place p;
    // so the unit, which takes its own order for documented, must find word 4p + q of the columns at p of chunk q.
    const int word = thread % 16, chunk = word % 4, place = word / 4 * 4;

    // Each warp its own tile.
    inline void weights(int step, char * stage) const {
        if (step >= steps) return;
        const uint8_t * from = weight + static_cast<size_t>(step) * Format::step_bytes;
        char * to = stage + warp * Format::step_bytes + lane * 16;
        SVC_UNROLL
        for (int at = 0; at < Format::step_bytes; at += 512) {
            if (at + 512 <= Format::step_bytes || lane * 16 < Format::step_bytes - at)
                copy_async<16>(to + at, from + at);
        }
    }
    inline void columns(int step, char * stage) const {
        if (step >= steps) return;
        constexpr int each = Shape::threads / 16;
        SVC_UNROLL
        for (int i = 0; i < Shape::columns / each; i++) {
            const int n = i * each + thread / 16;
            const uint8_t * from = job.x.values + sources[n] + word * 4 + step * step_blocks * column_block;
            char * to = stage + Shape::weights + column_place(n, chunk) + place;
            SVC_UNROLL
            for (int k = 0; k < step_blocks; k++) copy_async<4>(to + k * Shape::block, from + k * column_block);
        }
    }
};

// Starts the products of a step; its weights at `tile`, its columns at `columns`.
template <typename Format, typename Shape>
inline void start_products(
    float (&y)[Shape::columns / 2], uint32_t (&a)[2][4][4], const char * tile, const char * columns
) {
    const uint64_t all = describe_columns(columns);
    SVC_UNROLL
    for (int half = 0; half < 2; half++) {
        load_fragments<Format>(a[half], tile, half);
        warpgroup_fence();
        SVC_UNROLL
        for (int k = 0; k < 4; k++) {
            const uint64_t b = all + (half * 2 + k / 2) * (Shape::block >> 4) + k % 2 * 2;
            if constexpr (Format::halves) warpgroup_f16<Shape::columns>(y, a[half][k], b);
            else warpgroup_bf16<Shape::columns>(y, a[half][k], b);
        }
        warpgroup_commit();
    }
}

template <typename Format, int Rows, int Columns, bool Gated>
inline void warpgroup_product(const ProductJob & job) {
    static_assert(!Format::byte_columns);
    using Shape = WarpgroupShape<Format, Rows, Columns>;
    const int thread = thread_index(), lane = thread % 32, warp = thread / 32;
    const int steps = job.weight.steps, first = block_y() * Columns, stages = job.slots;
    char * ring = shared_memory();
    int * sources = reinterpret_cast<int *>(ring + stages * Shape::stage);
    for (int n = thread; n < Columns; n += Shape::threads)
        sources[n] = job.from.of(first + n < job.columns ? first + n : job.columns - 1) * Bfloats::block_bytes;
    const WarpgroupFetch<Format, Shape> fetch{.job = job, .sources = sources};
    dependents_may_start();
    for (int i = 0; i + 1 < stages; i++) {
        fetch.weights(i, ring + i * Shape::stage);
        copy_commit();
    }
    barrier(); // for the sources
    wait_for_inputs();
    for (int i = 0; i + 1 < stages; i++) {
        fetch.columns(i, ring + i * Shape::stage);
        copy_commit();
    }
    float y[Columns / 2] = {};
    uint32_t a[2][4][4];
    int slot = 0, free_slot = stages - 1;
    for (int step = 0; step < steps; step++) {
        copy_wait(stages - 2);
        matrix_fence();
        barrier(); // this stage is there, and all products with the one before are done
        fetch.weights(step + stages - 1, ring + free_slot * Shape::stage);
        fetch.columns(step + stages - 1, ring + free_slot * Shape::stage);
        copy_commit();
        const char * stage = ring + slot * Shape::stage;
        start_products<Format, Shape>(y, a, stage + warp * Format::step_bytes, stage + Shape::weights);
        warpgroup_wait<0>();
        free_slot = slot;
        slot = slot + 1 == stages ? 0 : slot + 1;
    }
    copy_wait(0);
    barrier(); // the ring becomes the memory of sums
    float * sums = reinterpret_cast<float *>(ring);
    SVC_UNROLL
    for (int i = 0; i < Columns / 2; i++)
        sums[(i / 4 * 8 + lane % 4 * 2 + i % 2) * tile_stride(Rows) + warp * tile_rows + lane / 4 + i / 2 % 2 * 8] =
            y[i];
    barrier();
    finish_tile<Format, Rows, Columns, Shape::threads, Gated>(job, sums, first);
}

} // namespace svc::cuda
