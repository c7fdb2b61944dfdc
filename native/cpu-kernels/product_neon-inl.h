// Products with integer weights on 64-bit Arm, for product-inl.h: a tile at a time, by quarters of 4 rows, so that a block
// of the columns stays in registers.

template <int N, PackedKind Kind>
inline void product_blocks(
    const Packed & w, int tile, const Columns & x, int first, const Ahead & ahead, F32x16 * out
) {
    constexpr bool whole_rows = Kind == PackedKind::i8_per_row,
                   nibbles = Kind == PackedKind::i4 || Kind == PackedKind::i4_with_min,
                   minima = Kind == PackedKind::i4_with_min;
    constexpr int lines = nibbles ? 4 : 8;
    const int blocks = w.blocks;
    const size_t stride = static_cast<size_t>(blocks) * block_depth;
    const uint8_t * weights = w.values + static_cast<size_t>(tile) * blocks * lines * 64;
    const uint16_t * scales =
        minima ? nullptr : w.scales + static_cast<size_t>(tile) * (whole_rows ? 1 : blocks) * tile_rows;
    const uint8_t * factors = minima ? w.factors + static_cast<size_t>(tile) * blocks * 32 : nullptr;
    const uint16_t * supers = minima ? w.supers + static_cast<size_t>(tile) * (blocks / 8) * 32 : nullptr;
    const int8_t * bytes = x.bytes + first * stride;
    const float * column_scales = x.scales + static_cast<size_t>(first) * blocks;
    const int32_t * sums = x.sums + static_cast<size_t>(first) * blocks;
    const uint8_t * next = weights + ahead.offset;
    F32x16 y[N]; // stays in registers, unlike `out`
#pragma GCC unroll 8
    for (int c = 0; c < N; c++) y[c] = f_zero();
    for (int b = 0; b < blocks; b++, weights += lines * 64, bytes += block_depth) {
        next = prefetch_lines<1, lines>(next, ahead.lines);
        F32x16 scale, minimum;
        if (minima) {
            const uint16_t * super = supers + b / 8 * 32;
            scale = f_mul(f_half(super), f_bytes(factors + b * 32));
            minimum = f_mul(f_half(super + 16), f_bytes(factors + b * 32 + 16));
        } else if (!whole_rows) {
            scale = f_half(scales + b * tile_rows);
        }
        Block<N> columns;
        columns.load(bytes, stride);
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            int32x4_t sum[N];
            columns.template multiply<nibbles>(weights, i, Kind == PackedKind::i4 ? sums + b : nullptr, blocks, sum);
#pragma GCC unroll 8
            for (int c = 0; c < N; c++) {
                const float column = column_scales[c * blocks + b];
                float32x4_t & total = y[c].v[i];
                total = vfmaq_f32(
                    total, vcvtq_f32_s32(sum[c]), whole_rows ? vdupq_n_f32(column) : vmulq_n_f32(scale.v[i], column)
                );
                if (minima) total = vfmsq_n_f32(total, minimum.v[i], float_sum(sums + c * blocks + b));
            }
        }
    }
#pragma GCC unroll 8
    for (int c = 0; c < N; c++) out[c] = whole_rows ? f_mul(y[c], f_half(scales)) : y[c];
}

template <int T, int N, bool WholeRows>
inline void product_i8(const Packed & w, int tile, const Columns & x, int first, const Ahead & ahead, F32x16 * out) {
    product_blocks<N, WholeRows ? PackedKind::i8_per_row : PackedKind::i8>(w, tile, x, first, ahead, out);
}

template <int T, int N, bool Minimum>
inline void product_i4(const Packed & w, int tile, const Columns & x, int first, const Ahead & ahead, F32x16 * out) {
    product_blocks<N, Minimum ? PackedKind::i4_with_min : PackedKind::i4>(w, tile, x, first, ahead, out);
}
