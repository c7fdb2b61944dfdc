// Products of few columns: the time is that of reading the weights. Each warp streams its own steps of the depth, weights
// and activations, through its own ring in shared memory. The weights of the first steps are under way before the inputs
// are awaited. In the end the warps add up.
#pragma once
#include "cuda/kernels/finish.h"

namespace svc::cuda {

struct ProductJob {
    Weight weight = {};
    Columns x = {};
    ColumnMap from = {}; // columns of x
    int columns = 0;
    int slots = 1; // steps in a warp's ring
    Finish finish = {};
};

// Activations of 8 columns and a step in shared memory: blocks of columns, then their scales.
template <typename Format>
constexpr int group_bytes = step_blocks * 8 * (Format::block_bytes + (Format::byte_columns ? 4 : 0));

template <typename Format, int Tiles, int Groups>
constexpr int slot_bytes = Tiles * Format::step_bytes + Groups * group_bytes<Format>;

template <typename Format, int Tiles, int Groups, int Warps>
constexpr size_t stream_product_shared(int slots) {
    const size_t ring = static_cast<size_t>(Warps) * slots * slot_bytes<Format, Tiles, Groups>,
                 sums = static_cast<size_t>(Warps) * Groups * 8 * (Tiles * tile_rows + 4) * sizeof(float);
    return ring > sums ? ring : sums;
}

// 1.5 · 2^23: an integer added to its bits is that integer as a float, after a subtraction
constexpr int32_t whole_bits = 0x4b400000;
constexpr float whole = 12582912.0f;

// The fragments of a tile of bytes and a block as bfloat16, for both halves of the block.
inline void widen(const uint4_t & bytes, float scale_low, float scale_high, uint32_t (&a)[2][4]) {
    const uint32_t words[4] = {bytes.x, bytes.y, bytes.z, bytes.w};
    SVC_UNROLL
    for (int r = 0; r < 4; r++) {
        // a byte + 128 as the second of a float is 32768 more; its product with a float16 scale is exact
        const uint32_t positive = words[r] ^ 0x80808080u;
        const float scale = r % 2 ? scale_high : scale_low, offset = -32896.0f * scale;
        float x[4];
        SVC_UNROLL
        for (int i = 0; i < 4; i++)
            x[i] = __builtin_bit_cast(float, 0x47000000u | (positive >> (8 * i) & 255) << 8) * scale + offset;
        a[r / 2][r % 2] = bfloat_pair(x[0], x[1]);
        a[r / 2][r % 2 + 2] = bfloat_pair(x[2], x[3]);
    }
}

// The same, of a tile in shared memory.
inline void widen_block(const char * tile, int block, uint32_t (&a)[2][4]) {
    const int lane = thread_index() % 32;
    const uint32_t scales =
        *reinterpret_cast<const uint32_t *>(tile + step_blocks * Bytes::fragment_bytes + lane / 4 * 16 + block * 4);
    widen(
        *reinterpret_cast<const uint4_t *>(tile + block * Bytes::fragment_bytes + lane * 16),
        float_of_half(static_cast<uint16_t>(scales)), float_of_half(static_cast<uint16_t>(scales >> 16)), a
    );
}

// y[tile][group] += the products of a block of the depth: weights at `tiles` and activations at `groups`. Bytes that are widened.
template <int Tiles, int Groups>
inline void multiply_mixed(
    float (&y)[Tiles][Groups][4], const char * tiles, int tile_stride, const char * groups, int group_stride, int block
) {
    const int lane = thread_index() % 32;
    uint4_t b[Groups];
    SVC_UNROLL
    for (int g = 0; g < Groups; g++)
        b[g] = *reinterpret_cast<const uint4_t *>(groups + g * group_stride + block * 512 + lane * 16);
    SVC_UNROLL
    for (int t = 0; t < Tiles; t++) {
        uint32_t a[2][4];
        widen_block(tiles + t * tile_stride, block, a);
        SVC_UNROLL
        for (int g = 0; g < Groups; g++) {
            const uint32_t low[2] = {b[g].x, b[g].y}, high[2] = {b[g].z, b[g].w};
            mma_bf16(y[t][g], a[0], low);
            mma_bf16(y[t][g], a[1], high);
        }
    }
}
// Both of 16 bits.
template <typename Format, int Tiles, int Groups>
inline void multiply_wide(
    float (&y)[Tiles][Groups][4], const char * tiles, int tile_stride, const char * groups, int group_stride, int block
) {
    const int lane = thread_index() % 32;
    uint4_t b[Groups];
    SVC_UNROLL
    for (int g = 0; g < Groups; g++)
        b[g] = *reinterpret_cast<const uint4_t *>(groups + g * group_stride + block * 512 + lane * 16);
    SVC_UNROLL
    for (int t = 0; t < Tiles; t++) {
        SVC_UNROLL
        for (int half = 0; half < 2; half++) {
            const uint4_t four = *reinterpret_cast<const uint4_t *>(
                tiles + t * tile_stride + block * Bfloats::fragment_bytes + half * 512 + lane * 16
            );
            const uint32_t a[4] = {four.x, four.y, four.z, four.w};
            SVC_UNROLL
            for (int g = 0; g < Groups; g++) {
                const uint32_t two[2] = {half ? b[g].z : b[g].x, half ? b[g].w : b[g].y};
                if constexpr (Format::halves) mma_f16(y[t][g], a, two);
                else mma_bf16(y[t][g], a, two);
            }
        }
    }
}
// Both bytes, with the scales of rows and columns.
template <int Tiles, int Groups>
inline void multiply_bytes(
    float (&y)[Tiles][Groups][4], const char * tiles, int tile_stride, const char * groups, int group_stride, int block
) {
    const int lane = thread_index() % 32, group = lane / 4, place = lane % 4;
    uint32_t b[Groups][2];
    float scale[Groups][2];
    SVC_UNROLL
    for (int g = 0; g < Groups; g++) {
        const char * from = groups + g * group_stride;
        const uint2_t two = *reinterpret_cast<const uint2_t *>(from + block * 256 + lane * 8);
        b[g][0] = two.x;
        b[g][1] = two.y;
        const uint2_t scales = *reinterpret_cast<const uint2_t *>(from + step_blocks * 256 + block * 32 + place * 8);
        scale[g][0] = __builtin_bit_cast(float, scales.x);
        scale[g][1] = __builtin_bit_cast(float, scales.y);
    }
    SVC_UNROLL
    for (int t = 0; t < Tiles; t++) {
        const char * tile = tiles + t * tile_stride;
        const uint4_t four = *reinterpret_cast<const uint4_t *>(tile + block * Bytes::fragment_bytes + lane * 16);
        const uint32_t a[4] = {four.x, four.y, four.z, four.w};
        const uint32_t pair =
            *reinterpret_cast<const uint32_t *>(tile + step_blocks * Bytes::fragment_bytes + group * 16 + block * 4);
        const float rows[2] = {
            float_of_half(static_cast<uint16_t>(pair)), float_of_half(static_cast<uint16_t>(pair >> 16))
        };
        SVC_UNROLL
        for (int g = 0; g < Groups; g++) {
            int32_t c[4] = {whole_bits, whole_bits, whole_bits, whole_bits};
            mma_i8(c, a, b[g]);
            SVC_UNROLL
            for (int i = 0; i < 4; i++)
                y[t][g][i] += (__builtin_bit_cast(float, c[i]) - whole) * (rows[i / 2] * scale[g][i % 2]);
        }
    }
}

template <typename Format, int Tiles, int Groups>
inline void multiply_block(
    float (&y)[Tiles][Groups][4], const char * tiles, int tile_stride, const char * groups, int group_stride, int block
) {
    if constexpr (Format::byte_columns) multiply_bytes(y, tiles, tile_stride, groups, group_stride, block);
    else if constexpr (Format::byte_weights) multiply_mixed(y, tiles, tile_stride, groups, group_stride, block);
    else multiply_wide<Format>(y, tiles, tile_stride, groups, group_stride, block);
}

// Starts copying `bytes` (a multiple of 16) with the lanes of a warp.
inline void copy_with_warp(char * to, const uint8_t * from, int bytes) {
    const int lane = thread_index() % 32;
    SVC_UNROLL
    for (int at = 0; at < bytes; at += 512) {
        if (at + 512 <= bytes || at + lane * 16 < bytes) copy_async<16>(to + at + lane * 16, from + at + lane * 16);
    }
}

// A warp's own steps of the depth, on their way into its ring.
template <typename Format, int Tiles, int Groups, int Warps>
struct StreamRing {
    const ProductJob & job;
    const int lane = thread_index() % 32, warp = thread_index() / 32;
    const int steps = (job.weight.steps - warp + Warps - 1) / Warps;
    const uint8_t * weight =
        job.weight.data + static_cast<size_t>(block_x()) * Tiles * job.weight.steps * Format::step_bytes;
    int column[Groups]; // the lane's, of each group

    inline void fetch_weights(int i, char * to) const {
        if (i >= steps) return;
        SVC_UNROLL
        for (int t = 0; t < Tiles; t++)
            copy_with_warp(
                to + t * Format::step_bytes,
                weight + (static_cast<size_t>(t) * job.weight.steps + warp + i * Warps) * Format::step_bytes,
                Format::step_bytes
            );
    }
    inline void fetch_columns(int i, char * to) const {
        if (i >= steps) return;
        to += Tiles * Format::step_bytes;
        const size_t block = static_cast<size_t>(warp + i * Warps) * step_blocks;
        SVC_UNROLL
        for (int g = 0; g < Groups; g++) {
            constexpr int piece = Format::block_bytes / 4; // of a column and a block, by four lanes
            SVC_UNROLL
            for (int k = 0; k < step_blocks; k++)
                copy_async<piece>(
                    to + g * group_bytes<Format> + k * 8 * Format::block_bytes + lane * piece,
                    job.x.values + ((block + k) * job.x.capacity + column[g]) * Format::block_bytes + lane % 4 * piece
                );
            if constexpr (Format::byte_columns)
                copy_async<4>(
                    to + g * group_bytes<Format> + step_blocks * 8 * Format::block_bytes + lane % 4 * 32 + lane / 4 * 4,
                    job.x.scales + (block + lane % 4) * job.x.capacity + column[g]
                );
        }
    }
};

// Adds up what the warps have, in shared memory, and finishes four rows of a column with each thread.
template <typename Format, int Tiles, int Groups, int Warps, bool Gated>
inline void finish_stream(
    const ProductJob & job, const float (&y)[Tiles][Groups][4], FinishFour & four, bool finishes
) {
    const int lane = thread_index() % 32, warp = thread_index() / 32, n = thread_index() / 8;
    // the padding spreads the lanes over all banks
    constexpr int stride = Tiles * tile_rows + 4;
    float * sums = reinterpret_cast<float *>(shared_memory());
    SVC_UNROLL
    for (int t = 0; t < Tiles; t++) {
        SVC_UNROLL
        for (int g = 0; g < Groups; g++) {
            SVC_UNROLL
            for (int i = 0; i < 4; i++)
                sums[(warp * Groups * 8 + g * 8 + lane % 4 * 2 + i % 2) * stride + t * 16 + lane / 4 + i / 2 * 8] =
                    y[t][g][i];
        }
    }
    barrier();
    if (warp * 4 >= Groups * 8) return; // whole warps
    const auto total = [&](int row) {
        Four sum = {{0, 0, 0, 0}};
        SVC_UNROLL
        for (int w = 0; w < Warps; w++) {
            const Four part =
                *reinterpret_cast<const Four *>(sums + (w * Groups * 8 + n) * stride + row + thread_index() % 8 * 4);
            SVC_UNROLL
            for (int i = 0; i < 4; i++) sum.v[i] += part.v[i];
        }
        SVC_UNROLL
        for (int i = 0; i < 4; i++) sum.v[i] *= four.factor;
        return sum;
    };
    Four out = total(0);
    if constexpr (Gated) {
        const Four other = total(32);
        SVC_UNROLL
        for (int i = 0; i < 4; i++) out.v[i] = silu(out.v[i]) * other.v[i];
    }
    four.store<Format>(job.finish, out, finishes);
}

template <typename Format, int Tiles, int Groups, int Warps, bool Gated>
inline void stream_product(const ProductJob & job) {
    static_assert(Groups * 8 * 8 <= Warps * 32 && Tiles * tile_rows == (Gated ? 64 : 32), "one pass finishes all");
    constexpr int slot_size = slot_bytes<Format, Tiles, Groups>;
    StreamRing<Format, Tiles, Groups, Warps> fetch{job};
    char * ring = shared_memory() + fetch.warp * job.slots * slot_size;
    const int first = block_y() * Groups * 8;
    const auto within = [&](int n) { return first + n < job.columns ? first + n : job.columns - 1; };
    dependents_may_start();
    for (int i = 0; i < job.slots; i++) {
        fetch.fetch_weights(i, ring + i * slot_size);
        copy_commit();
    }
    const int n = thread_index() / 8;
    FinishFour four;
    four.constants(job.finish, block_x() * 32 + thread_index() % 8 * 4);
    SVC_UNROLL
    for (int g = 0; g < Groups; g++) fetch.column[g] = job.from.of(within(g * 8 + fetch.lane / 4));

    wait_for_inputs();
    for (int i = 0; i < job.slots; i++) {
        fetch.fetch_columns(i, ring + i * slot_size);
        copy_commit();
    }
    four.load(job.finish, job.x, within(n), job.from.of(within(n)));
    float y[Tiles][Groups][4] = {};
    char * slot = ring;
    char * const ring_end = ring + job.slots * slot_size;
    for (int i = 0; i < fetch.steps; i++) {
        copy_wait(job.slots - 1);
        warp_barrier(); // scales were copied by other lanes
        // more at once would not fit the registers
        [[maybe_unused]] constexpr int together = !Format::byte_weights || Tiles * Groups <= 4 ? 2 : 1;
        SVC_UNROLL_BY(together)
        for (int k = 0; k < step_blocks; k++)
            multiply_block<Format, Tiles, Groups>(
                y, slot, Format::step_bytes, slot + Tiles * Format::step_bytes, group_bytes<Format>, k
            );
        warp_barrier();
        fetch.fetch_weights(i + job.slots, slot);
        fetch.fetch_columns(i + job.slots, slot);
        copy_commit();
        slot = slot + slot_size == ring_end ? ring : slot + slot_size;
    }
    copy_wait(0);
    barrier(); // the rings become the memory of sums
    finish_stream<Format, Tiles, Groups, Warps, Gated>(job, y, four, n < Groups * 8 && first + n < job.columns);
}

} // namespace svc::cuda
