// Products of packed weights with a few columns. Included once per instruction set.
namespace svc {
namespace SVC_ISA {

// Prefetches weights during a multiplication: `lines` cache lines per block, starting `offset` bytes after the tile.
// With one pass over the columns this is a few blocks ahead; with several, each pass prefetches a part of the next
// tiles.
struct Ahead {
    size_t offset;
    int lines;
};
// A single tile is limited by memory, so its weights are prefetched to the L1 cache; two tiles would not fit.
template <int T, int Block>
inline const uint8_t * prefetch_lines(const uint8_t * from, int lines) {
    if (lines == Block) {
#pragma GCC unroll 8
        for (int line = 0; line < Block; line++) prefetch<T>(from + line * 64);
    } else {
        for (int line = 0; line < lines; line++) prefetch<T>(from + line * 64);
    }
    return from + lines * 64;
}

// Where block b of column c lies among the quantized activations: [group][block][column of the group]. A product with
// several columns reads those of one group.
#ifdef SVC_TILES
constexpr int column_group = 16;
#else
constexpr int column_group = 1;
#endif
inline size_t place_of(size_t c, int blocks, int b) {
    return (c / column_group * blocks + b) * column_group + c % column_group;
}
inline size_t column_step(int blocks) { return column_group > 1 ? 1 : blocks; }

#ifndef SVC_BLOCKS
// A block of activations.
constexpr int block_bytes = block_depth;
inline void store_block(int8_t * p, I32x16 low, I32x16 high) {
    i_store8(p, low);
    i_store8(p + 16, high);
}

// acc[t * N + c] + the products of a block of T neighboring tiles t and N columns c, `stride` bytes apart.
// Inlined always: clang would not, and a call keeps the sums in memory, which takes twice the time.
template <int T, int N>
[[gnu::always_inline]] inline void block_i8(
    I32x16 * acc, const uint8_t * const * weights, const int8_t * activations, size_t stride
) {
#pragma GCC unroll 8
    for (int group = 0; group < 8; group++) {
        Weights four[T];
#pragma GCC unroll 2
        for (int t = 0; t < T; t++) four[t] = w_load(weights[t] + group * 64);
#pragma GCC unroll 16
        for (int c = 0; c < N; c++) {
#pragma GCC unroll 2
            for (int t = 0; t < T; t++)
                acc[t * N + c] = dot_i8(acc[t * N + c], four[t], activations + c * stride + group * 4);
        }
    }
}
template <int T, int N>
[[gnu::always_inline]] inline void block_i4(
    I32x16 * acc, const uint8_t * const * weights, const int8_t * activations, size_t stride
) {
#pragma GCC unroll 4
    for (int group = 0; group < 4; group++) {
        Weights low[T], high[T];
#pragma GCC unroll 2
        for (int t = 0; t < T; t++) {
            const Weights both = w_load(weights[t] + group * 64);
            low[t] = w_low(both);
            high[t] = w_high(both);
        }
#pragma GCC unroll 16
        for (int c = 0; c < N; c++) {
            const int8_t * column = activations + c * stride + group * 4;
#pragma GCC unroll 2
            for (int t = 0; t < T; t++) acc[t * N + c] = dot_u(acc[t * N + c], low[t], column);
#pragma GCC unroll 2
            for (int t = 0; t < T; t++) acc[t * N + c] = dot_u(acc[t * N + c], high[t], column + 16);
        }
    }
}
#endif

// The sums of Columns for weights with minima.
inline float float_sum(const int32_t * sum) {
    float value;
    std::memcpy(&value, sum, 4);
    return value;
}

#ifdef SVC_PRODUCTS
#include SVC_PRODUCTS
#else
// y[t * N + c] for T neighboring tiles t and N columns c.
template <int T, int N, bool WholeRows>
[[gnu::noinline]] void product_i8(
    const Packed & w, int tile, const Columns & x, int first, const Ahead & ahead, F32x16 * out
) {
    const int blocks = w.blocks;
    const uint8_t * weights[T];
    const uint16_t * scales[T];
    for (int t = 0; t < T; t++) {
        weights[t] = w.values + static_cast<size_t>(tile + t) * blocks * 512;
        scales[t] = w.scales + static_cast<size_t>(tile + t) * (WholeRows ? 1 : blocks) * tile_rows;
    }
    F32x16 y[T * N]; // stays in registers, unlike `out`
#pragma GCC unroll 20
    for (int i = 0; i < T * N; i++) y[i] = f_zero();
    const size_t step = column_step(blocks), stride = step * block_bytes, start = place_of(first, blocks, 0);
    const int8_t * bytes = x.bytes + start * block_bytes;
    const float * column_scales = x.scales + start;
    const int32_t * sums = x.sums + start;
    const uint8_t * next = weights[0] + ahead.offset;
    for (int b = 0; b < blocks;
         b++, bytes += column_group * block_bytes, column_scales += column_group, sums += column_group) {
        I32x16 acc[T * N];
#pragma GCC unroll 16
        for (int c = 0; c < N; c++) {
            const I32x16 offset = i_set(sums[c * step]);
#pragma GCC unroll 2
            for (int t = 0; t < T; t++) acc[t * N + c] = offset;
        }
        next = prefetch_lines<T, 8>(next, ahead.lines);
        block_i8<T, N>(acc, weights, bytes, stride);
#pragma GCC unroll 2
        for (int t = 0; t < T; t++) {
            weights[t] += 512;
            const F32x16 scale = WholeRows ? f_zero() : f_half(scales[t] + b * tile_rows);
#pragma GCC unroll 16
            for (int c = 0; c < N; c++) {
                const F32x16 column = f_set(column_scales[c * step]);
                y[t * N + c] = f_fma(f_from(acc[t * N + c]), WholeRows ? column : f_mul(scale, column), y[t * N + c]);
            }
        }
    }
#pragma GCC unroll 20
    for (int i = 0; i < T * N; i++) out[i] = WholeRows ? f_mul(y[i], f_half(scales[i / N])) : y[i];
}

template <int T, int N, bool Minimum>
[[gnu::noinline]] void product_i4(
    const Packed & w, int tile, const Columns & x, int first, const Ahead & ahead, F32x16 * out
) {
    const int blocks = w.blocks;
    const uint8_t *weights[T], *factors[T];
    const uint16_t *scales[T], *supers[T];
    F32x16 super_scale[T], super_minimum[T];
    for (int t = 0; t < T; t++) {
        weights[t] = w.values + static_cast<size_t>(tile + t) * blocks * 256;
        scales[t] = Minimum ? nullptr : w.scales + static_cast<size_t>(tile + t) * blocks * tile_rows;
        factors[t] = Minimum ? w.factors + static_cast<size_t>(tile + t) * blocks * 32 : nullptr;
        supers[t] = Minimum ? w.supers + static_cast<size_t>(tile + t) * (blocks / 8) * 32 : nullptr;
        super_scale[t] = super_minimum[t] = f_zero();
    }
    F32x16 y[T * N]; // stays in registers, unlike `out`
#pragma GCC unroll 20
    for (int i = 0; i < T * N; i++) y[i] = f_zero();
    const size_t step = column_step(blocks), stride = step * block_bytes, start = place_of(first, blocks, 0);
    const int8_t * bytes = x.bytes + start * block_bytes;
    const float * column_scales = x.scales + start;
    const int32_t * sums = x.sums + start;
    const uint8_t * next = weights[0] + ahead.offset;
    for (int b = 0; b < blocks;
         b++, bytes += column_group * block_bytes, column_scales += column_group, sums += column_group) {
        I32x16 acc[T * N];
#pragma GCC unroll 16
        for (int c = 0; c < N; c++) {
            const I32x16 offset = Minimum ? i_zero() : i_set(sums[c * step]);
#pragma GCC unroll 2
            for (int t = 0; t < T; t++) acc[t * N + c] = offset;
        }
        next = prefetch_lines<T, 4>(next, ahead.lines);
        block_i4<T, N>(acc, weights, bytes, stride);
#pragma GCC unroll 2
        for (int t = 0; t < T; t++) {
            weights[t] += 256;
            F32x16 scale, minimum = f_zero();
            if (Minimum) {
                if (b % 8 == 0) {
                    super_scale[t] = f_half(supers[t] + b / 8 * 32);
                    super_minimum[t] = f_half(supers[t] + b / 8 * 32 + 16);
                }
                scale = f_mul(super_scale[t], f_bytes(factors[t] + b * 32));
                minimum = f_mul(super_minimum[t], f_bytes(factors[t] + b * 32 + 16));
            } else {
                scale = f_half(scales[t] + b * tile_rows);
            }
#pragma GCC unroll 16
            for (int c = 0; c < N; c++) {
                const float column = column_scales[c * step];
                F32x16 & sum = y[t * N + c];
                sum = f_fma(f_from(acc[t * N + c]), f_mul(scale, f_set(column)), sum);
                if (Minimum) sum = f_fnma(minimum, f_set(float_sum(sums + c * step)), sum);
            }
        }
    }
#pragma GCC unroll 20
    for (int i = 0; i < T * N; i++) out[i] = y[i];
}
#endif

// Values of a row that are summed in one chain, so that the rounding error grows with the number of chains and not with
// the length of the row.
constexpr int chain_depth = 64;

template <int T, int N, PackedKind Kind>
inline void product_float(const Packed & w, int tile, const Columns & x, int first, F32x16 * out) {
    const uint8_t * weights[T];
    for (int t = 0; t < T; t++) weights[t] = w.values + w.tile_bytes() * (tile + t);
    for (int i = 0; i < T * N; i++) out[i] = f_zero();
    const float * columns = x.floats + static_cast<size_t>(first) * x.stride;
    constexpr int width = Kind == PackedKind::f32 ? 64 : 32;
    for (int chain = 0; chain < w.depth; chain += chain_depth) {
        const int depth = w.depth - chain < chain_depth ? w.depth - chain : chain_depth;
        F32x16 y[T * N]; // stays in registers, unlike `out`
#pragma GCC unroll 20
        for (int i = 0; i < T * N; i++) y[i] = f_zero();
        for (int k = 0; k < depth; k++, columns++) {
            F32x16 row[T];
#pragma GCC unroll 2
            for (int t = 0; t < T; t++) {
                row[t] = Kind == PackedKind::f32 ? f_load(reinterpret_cast<const float *>(weights[t]))
                    : Kind == PackedKind::f16    ? f_half(reinterpret_cast<const uint16_t *>(weights[t]))
                                                 : f_bfloat(reinterpret_cast<const uint16_t *>(weights[t]));
                weights[t] += width;
            }
#pragma GCC unroll 16
            for (int c = 0; c < N; c++) {
                const F32x16 value = f_set(columns[c * x.stride]);
#pragma GCC unroll 2
                for (int t = 0; t < T; t++) y[t * N + c] = f_fma(row[t], value, y[t * N + c]);
            }
        }
#pragma GCC unroll 20
        for (int i = 0; i < T * N; i++) out[i] = f_add(out[i], y[i]);
    }
}

#ifdef SVC_BF16_PAIRS
template <int T, int N>
inline void product_pairs(const Packed & w, int tile, const Columns & x, int first, F32x16 * out) {
    const uint8_t * weights[T];
    for (int t = 0; t < T; t++) weights[t] = w.values + w.tile_bytes() * (tile + t);
    F32x16 y[T * N];
#pragma GCC unroll 20
    for (int i = 0; i < T * N; i++) y[i] = f_zero();
    const uint16_t * columns = x.bfloats + first * x.stride;
    for (int k = 0; k < w.depth; k += 2, columns += 2) {
        Weights row[T];
#pragma GCC unroll 2
        for (int t = 0; t < T; t++) {
            row[t] = w_load(weights[t]);
            weights[t] += 64;
        }
#pragma GCC unroll 16
        for (int c = 0; c < N; c++) {
#pragma GCC unroll 2
            for (int t = 0; t < T; t++) y[t * N + c] = dot_bf16(y[t * N + c], row[t], columns + c * x.stride);
        }
    }
#pragma GCC unroll 20
    for (int i = 0; i < T * N; i++) out[i] = y[i];
}
#endif

template <int T, int N>
inline void product_tiles(const Packed & w, int tile, const Columns & x, int first, const Ahead & ahead, F32x16 * y) {
    switch (w.kind) {
    case PackedKind::i8: return product_i8<T, N, false>(w, tile, x, first, ahead, y);
    case PackedKind::i8_per_row: return product_i8<T, N, true>(w, tile, x, first, ahead, y);
    case PackedKind::i4: return product_i4<T, N, false>(w, tile, x, first, ahead, y);
    case PackedKind::i4_with_min: return product_i4<T, N, true>(w, tile, x, first, ahead, y);
    case PackedKind::f16: return product_float<T, N, PackedKind::f16>(w, tile, x, first, y);
    case PackedKind::bf16: return product_float<T, N, PackedKind::bf16>(w, tile, x, first, y);
    case PackedKind::f32: return product_float<T, N, PackedKind::f32>(w, tile, x, first, y);
#ifdef SVC_BF16_PAIRS
    case PackedKind::bf16_pairs: return product_pairs<T, N>(w, tile, x, first, y);
#else
    case PackedKind::bf16_pairs: return;
#endif
    }
}

// e^x to within a few ulp
inline F32x16 f_exp(F32x16 x) {
    x = f_max(f_min(x, f_set(88.0f)), f_set(-87.0f));
    const F32x16 n = f_round(f_mul(x, f_set(1.44269504f)));
    F32x16 r = f_fnma(n, f_set(0.693359375f), x);
    r = f_fnma(n, f_set(-2.12194440e-4f), r);
    F32x16 p = f_set(1.9875691500e-4f);
    p = f_fma(p, r, f_set(1.3981999507e-3f));
    p = f_fma(p, r, f_set(8.3334519073e-3f));
    p = f_fma(p, r, f_set(4.1665795894e-2f));
    p = f_fma(p, r, f_set(1.6666665459e-1f));
    p = f_fma(p, r, f_set(5.0000001201e-1f));
    p = f_fma(f_mul(p, r), r, f_add(r, f_set(1.0f)));
    return f_scale2(p, n);
}
inline F32x16 f_silu(F32x16 x) { return f_div(x, f_add(f_set(1.0f), f_exp(f_sub(f_zero(), x)))); }

inline F32x16 load_some(const float * p, int count) {
    if (count >= 16) return f_load(p);
    float all[16] = {};
    for (int i = 0; i < count; i++) all[i] = p[i];
    return f_load(all);
}
inline void store_some(float * p, F32x16 x, int count) {
    if (count >= 16) return f_store(p, x);
    float all[16];
    f_store(all, x);
    for (int i = 0; i < count; i++) p[i] = all[i];
}

// 1 / the root mean square of column c, which the sums of the squares of its blocks give.
inline float norm_factor(const float * squares, int blocks, int depth, float eps) {
    F32x16 sum = f_zero();
    for (int b = 0; b < blocks; b += 16) sum = f_add(sum, load_some(squares + b, blocks - b));
    return 1.0f / __builtin_sqrtf(f_sum(sum) / static_cast<float>(depth) + eps);
}

// Stores the first `rows` of 16 values for N columns.
template <int N>
inline void finish(const ProductJob & job, int row, int rows, int first, const F32x16 * y) {
    const int count = rows - row;
    const F32x16 bias = job.bias ? load_some(job.bias + row, count) : f_zero();
    for (int c = 0; c < N; c++) {
        F32x16 value = f_add(y[c], bias);
        if (job.residual)
            value = f_fma(
                value, f_set(job.residual_scale),
                load_some(job.residual + (first + c) * job.residual_stride + row, count)
            );
        store_some(job.out.data + (first + c) * job.out.stride + row, value, count);
    }
}

// y[t * N + c] of T neighboring tiles t, or of a gate and its up matrix, and N columns c to the output.
template <int T, int N>
inline void finish_columns(const ProductJob & job, int tile, int first, F32x16 * y) {
    const Packed & weight = *job.weight;
    if (job.factors) {
        for (int c = 0; c < N; c++) {
            const F32x16 factor = f_set(job.factors[first + c]);
            y[c] = f_mul(y[c], factor);
            if (T == 2 || job.swiglu) y[N + c] = f_mul(y[N + c], factor);
        }
    }
    if (job.swiglu) {
        for (int c = 0; c < N; c++) y[c] = f_mul(f_silu(y[c]), y[N + c]);
        const int row = tile / 2 * tile_rows;
        return job.gated.bytes ? finish<N>(job, row % block_depth, block_depth, first, y)
                               : finish<N>(job, row, weight.rows / 2, first, y);
    }
    for (int t = 0; t < T; t++) finish<N>(job, (tile + t) * tile_rows, weight.rows, first, y + t * N);
}

// With `swiglu` this tile is the gate and the next one is the up matrix.
template <int T, int N>
inline void product_columns(const ProductJob & job, int tile, int first, const Ahead & ahead) {
    F32x16 y[2 * N];
    product_tiles<T, N>(*job.weight, tile, job.x, first, ahead, y);
    if (job.swiglu && T == 1) product_tiles<1, N>(*job.weight, tile + 1, job.x, first, ahead, y + N);
    finish_columns<T, N>(job, tile, first, y);
}

template <int T, int N>
inline void product_group(const ProductJob & job, int tile, int first, int count, const Ahead & ahead) {
    if (count == N) return product_columns<T, N>(job, tile, first, ahead);
    if constexpr (N > 1) product_group<T, N - 1>(job, tile, first, count, ahead);
}

#ifdef SVC_TILES
#include "cpu-kernels/product_amx-inl.h"
#else
constexpr bool uses_tiles(const Packed &) { return false; }
inline void release_tiles(Member &) {}
#endif

#ifndef SVC_COLUMN_UNIT
#define SVC_COLUMN_UNIT 1 // columns that one instruction multiplies
#endif
// Where a group of the columns begins, in whole multiples of `unit` columns.
inline int group_start(int columns, int group, int groups, int unit) {
    const int start = part_start(columns, group, groups);
    const int whole = (start + unit - 1) / unit * unit;
    return whole < columns ? whole : columns;
}

// Columns [begin, end) in groups of similar size, while the tiles are in the cache.
template <int T, int Most>
inline void product_groups(const ProductJob & job, int tile, int begin, int end) {
    const Packed & weight = *job.weight;
    const int columns = end - begin, groups = (columns + Most - 1) / Most;
    const int block_lines = static_cast<int>(weight.tile_bytes() / weight.blocks / 64) * T;
    const int lines = (block_lines + groups - 1) / groups;
    const size_t next = weight.tile_bytes() * (job.swiglu ? 2 : T);
    for (int group = 0; group < groups; group++) {
        const int first = group_start(columns, group, groups, SVC_COLUMN_UNIT),
                  last = group_start(columns, group + 1, groups, SVC_COLUMN_UNIT);
        const Ahead ahead{groups == 1 ? 4096 : next + static_cast<size_t>(group) * lines * weight.blocks * 64, lines};
        product_group<T, Most>(job, tile, begin + first, last - first, ahead);
    }
}

constexpr int32_t minimum_factor = 1; // for sums in float32

// 32 values as signed bytes with their scale and sum, at block b of column c.
inline void quantize_block(
    F32x16 low, F32x16 high, int32_t sum_factor, const Columns & out, size_t c, int blocks, int b
) {
    const size_t place = place_of(c, blocks, b);
    const float peak = f_peak(f_max(f_abs(low), f_abs(high)));
    const F32x16 inverse = f_set(peak > 0 ? 127.0f / peak : 0.0f);
    const I32x16 q_low = i_from(f_mul(low, inverse)), q_high = i_from(f_mul(high, inverse));
    store_block(out.bytes + place * block_bytes, q_low, q_high);
    const float scale = peak / 127.0f;
    out.scales[place] = scale;
    const int32_t sum = i_sum(i_add(q_low, q_high));
    const float float_sum = scale * static_cast<float>(sum);
    if (sum_factor == minimum_factor) std::memcpy(out.sums + place, &float_sum, 4);
    else out.sums[place] = sum_factor * sum;
    if (out.i8_sums) out.i8_sums[place] = -i8_offset * sum;
}

// The factor of the sums (see Columns) that cancels the offset of the weights, or `minimum_factor`.
inline int32_t sum_factor_of(PackedKind kind) {
    return kind == PackedKind::i8 || kind == PackedKind::i8_per_row ? -i8_offset
        : kind == PackedKind::i4                                    ? -8
                                                                    : minimum_factor;
}

inline float square_sum(const float * x, int count) {
    F32x16 sum = f_zero();
    for (int i = 0; i < count; i += 16) {
        const F32x16 v = load_some(x + i, count - i);
        sum = f_fma(v, v, sum);
    }
    return f_sum(sum);
}

// Block b of column c, times the weights of an RMS norm unless null, as input of a product of this kind.
inline void prepare_block(
    PackedKind kind, const float * column, int depth, const float * norm, const Columns & out, size_t c, int b
) {
    const int row = b * block_depth, blocks = (depth + block_depth - 1) / block_depth, count = depth - row;
    F32x16 low = load_some(column + row, count),
           high = count > 16 ? load_some(column + row + 16, count - 16) : f_zero();
    if (norm) {
        out.squares[c * blocks + b] = f_sum(f_fma(low, low, f_mul(high, high)));
        low = f_mul(low, load_some(norm + row, count));
        if (count > 16) high = f_mul(high, load_some(norm + row + 16, count - 16));
    }
    if (is_quantized(kind)) return quantize_block(low, high, sum_factor_of(kind), out, c, blocks, b);
    float * to = const_cast<float *>(out.floats) + c * out.stride + row;
    store_some(to, low, count);
    if (count > 16) store_some(to + 16, high, count - 16);
}

inline void prepare(
    PackedKind kind, const float * x, size_t stride, int depth, const float * norm, const Columns & out, int first,
    int last
) {
    for (int c = first; c < last; c++) {
        const float * column = x + c * stride;
#ifdef SVC_BF16_PAIRS
        if (kind == PackedKind::bf16_pairs) {
            uint16_t * to = out.bfloats + c * out.stride;
            for (int i = 0; i < depth; i += 16) store_bfloats(to + i, load_some(column + i, depth - i));
            continue;
        }
#endif
        for (int b = 0; b * block_depth < depth; b++) prepare_block(kind, column, depth, norm, out, c, b);
    }
}

// Tiles that are computed together: rows of a block of the output.
inline int tiles_together(const ProductJob & job) { return job.swiglu ? 4 : 2; }

// Tiles [tile, last) and columns [begin, end), which lie in one group if they are quantized.
inline void product_in_vectors(const ProductJob & job, int tile, int last, int begin, int end) {
#ifdef SVC_PAIRS
    // few columns take one pass over the weights, which dominates the time
    const bool quantized = job.weight->quantized(),
               paired = end - begin > (quantized ? max_columns_unpaired : max_columns_unpaired_float);
    for (; paired && tile + 1 < last; tile += 2) {
        if (quantized) product_groups<2, pair_columns>(job, tile, begin, end);
        else product_groups<2, pair_columns_float>(job, tile, begin, end);
    }
#endif
    for (; tile < last; tile += job.swiglu ? 2 : 1) product_groups<1, max_columns>(job, tile, begin, end);
}

// Columns [begin, end) of the output's block b.
inline void product_block(Member & member, const ProductJob & job, int b, int begin, int end) {
    const Packed & weight = *job.weight;
    const int first = b * tiles_together(job),
              last = first + tiles_together(job) < weight.tiles ? first + tiles_together(job) : weight.tiles;
#ifdef SVC_TILES
    if (pays_by_tiles(weight, end - begin)) {
        product_in_tiles(member, job, first, last, begin, end);
    } else {
        for (int from = begin, to; from < end; from = to) {
            to = weight.quantized() ? (from / column_group + 1) * column_group : end;
            if (to > end) to = end;
            product_in_vectors(job, first, last, from, to);
        }
    }
#else
    product_in_vectors(job, first, last, begin, end);
#endif
    if (!job.gated.bytes) return;
    for (int c = begin; c < end; c++) {
        const float * from = job.out.data + c * job.out.stride;
        quantize_block(
            f_load(from), f_load(from + 16), sum_factor_of(job.gated_for), job.gated, c, weight.rows / 2 / block_depth,
            b
        );
    }
}

} // namespace SVC_ISA
} // namespace svc
