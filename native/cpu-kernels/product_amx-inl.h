// Products by the tile registers of Intel AMX, for product-inl.h: C[column][row] of 16 columns of activations and the 16 rows
// of a tile of weights, whose packed bytes are read as they are. Rows of the registers that no column needs hold what
// happens to lie there.
//
// The product of a block takes 16 cycles, and the scales of its sums take longer. Vector instructions run at half their speed
// while tile instructions are under way, so the two take turns: the sums of some blocks go to the first-level cache and are
// scaled afterwards, by the same operations in the same order as in vectors, and so with the same results.
// docs/adr/0073-amx-for-many-columns.md has the measurements.

constexpr TileShapes byte_shapes{
    .row_bytes = {64, 64, 64, 64, 32, 32, 64, 64},
    .rows = {16, 16, 16, 16, 16, 16, 8, 8},
};
constexpr TileShapes bfloat_shapes{
    .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64},
    .rows = {16, 16, 16, 16, 16, 16, 16, 16},
};

inline void shape_tiles(Member & member, Member::TileShape shape) {
    if (member.tile_shape == shape) return;
    tiles_shape(shape == Member::TileShape::bytes ? byte_shapes : bfloat_shapes);
    member.tile_shape = shape;
}
inline void release_tiles(Member & member) {
    if (member.tile_shape != Member::TileShape::none) tiles_release();
    member.tile_shape = Member::TileShape::none;
}

inline bool has_nibbles(const Packed & weight) {
    return weight.kind == PackedKind::i4 || weight.kind == PackedKind::i4_with_min;
}
// Whether many columns of this product are multiplied in tile registers. Sums of bfloat16 differ from those in vectors, so
// all columns are.
inline bool uses_tiles(const Packed & weight) {
    return weight.quantized() || (weight.kind == PackedKind::bf16_pairs && weight.depth % block_depth == 0);
}
// Reading the weights, and unpacking nibbles, takes as long for few columns as for many.
inline bool pays_by_tiles(const Packed & weight, int columns) {
    if (!weight.quantized()) return uses_tiles(weight);
    return columns >=
        __atomic_load_n(has_nibbles(weight) ? &tile_limits.nibbles : &tile_limits.bytes, __ATOMIC_RELAXED);
}

constexpr int chunk_blocks = 8; // 16 KB of sums for two tiles of weights
constexpr int product_values = column_group * tile_rows;
constexpr int most_tile_columns = 128; // whose products are kept in the cache

// What a group of columns fetches of the next tile of weights: lines of each block, some of them while the tile registers are
// busy and the others while vectors are.
struct NextTile {
    const uint8_t * lines; // of the first block
    int block_bytes, early, late;
};
inline void fetch_early(const NextTile & next, int block) {
    prefetch_lines<2, 4>(next.lines + block * next.block_bytes, next.early);
}
inline void fetch_late(const NextTile & next, int block) {
    prefetch_lines<2, 4>(next.lines + block * next.block_bytes + next.early * 64, next.late);
}

// The sums of `count` blocks of T tiles of weights: [block][column][row]. A sum is stored two products after it was computed.
template <int T>
inline void multiply_bytes(
    const uint8_t * const * weights, const int8_t * columns, int count, int32_t * const * sums, const NextTile * next
) {
    constexpr int activations = column_group * block_depth, values = tile_rows * block_depth;
    const auto sum = [&](int t, int b) { return sums[t] + b * product_values; };
    for (int b = 0; b < count; b += 2) {
        const bool second = b + 1 < count;
        fetch_early(next[0], b);
        tile_load<4>(columns + b * activations, block_depth);
        tile_load<6>(weights[0] + b * values, 64);
        tile_zero<0>();
        tile_dot_i8<0, 4, 6>();
        if (b > 0) tile_store<2>(sum(0, b - 1), 64);
        if (T == 2) {
            fetch_early(next[T - 1], b);
            tile_load<7>(weights[T - 1] + b * values, 64);
            tile_zero<1>();
            tile_dot_i8<1, 4, 7>();
            if (b > 0) tile_store<3>(sum(T - 1, b - 1), 64);
        }
        if (second) {
            fetch_early(next[0], b + 1);
            tile_load<5>(columns + (b + 1) * activations, block_depth);
            tile_load<6>(weights[0] + (b + 1) * values, 64);
            tile_zero<2>();
            tile_dot_i8<2, 5, 6>();
        }
        tile_store<0>(sum(0, b), 64);
        if (T == 2) {
            if (second) {
                fetch_early(next[T - 1], b + 1);
                tile_load<7>(weights[T - 1] + (b + 1) * values, 64);
                tile_zero<3>();
                tile_dot_i8<3, 5, 7>();
            }
            tile_store<1>(sum(T - 1, b), 64);
        }
        if (second && b + 2 >= count) {
            tile_store<2>(sum(0, b + 1), 64);
            if (T == 2) tile_store<3>(sum(T - 1, b + 1), 64);
        }
    }
}

// What the sums of a tile are multiplied by.
enum class Scaling {
    blocks,  // i8, i4: a scale of each row and block
    rows,    // i8_per_row: nothing yet
    minimums // i4_with_min: scales and minima
};
constexpr int block_scales = 2 * tile_rows;  // of a block of a tile: 16 scales, 16 minima
constexpr int column_stride = 2 * tile_rows; // between the products of neighboring columns: those of two tiles

struct Sums {
    const int32_t * sums; // of multiply_bytes()
    const float * scales; // of the rows, see block_scales
    const float * column_scales;
    const int32_t * column_sums;
    int first, count; // blocks
    float * products;
    NextTile next;
};

// Adds the scaled sums of N columns to their products.
template <int N, Scaling S>
[[gnu::noinline]] void scale_sums(const Sums & job) {
    F32x16 y[N];
#pragma GCC unroll 16
    for (int c = 0; c < N; c++) y[c] = job.first == 0 ? f_zero() : f_load(job.products + c * column_stride);
    for (int b = 0; b < job.count; b++) {
        fetch_late(job.next, b);
        const float * scales = job.scales + b * block_scales;
        const F32x16 row = S == Scaling::rows ? f_zero() : f_load(scales),
                     minimum = S == Scaling::minimums ? f_load(scales + tile_rows) : f_zero();
#pragma GCC unroll 16
        for (int c = 0; c < N; c++) {
            const int place = b * column_group + c;
            const F32x16 sum = f_from(i_load(job.sums + place * tile_rows)), column = f_set(job.column_scales[place]);
            y[c] = f_fma(sum, S == Scaling::rows ? column : f_mul(row, column), y[c]);
            if (S == Scaling::minimums) y[c] = f_fnma(minimum, f_set(float_sum(job.column_sums + place)), y[c]);
        }
    }
#pragma GCC unroll 16
    for (int c = 0; c < N; c++) f_store(job.products + c * column_stride, y[c]);
}
// The same for up to N columns, and one more if their number is odd.
template <Scaling S, int N = column_group>
inline void scale_columns(int columns, const Sums & job) {
    if constexpr (N > 2) {
        if (columns <= N - 2) return scale_columns<S, N - 2>(columns, job);
    }
    scale_sums<N, S>(job);
}

// Packed nibbles as signed bytes.
inline void unpack_nibbles(const uint8_t * nibbles, int blocks, int offset, uint8_t * bytes) {
    for (int b = 0; b < blocks; b++, nibbles += 256, bytes += 512) {
#pragma GCC unroll 4
        for (int group = 0; group < 4; group++) {
            const Weights both = w_load(nibbles + group * 64);
            w_store(bytes + group * 64, w_less(w_low(both), offset));
            w_store(bytes + 256 + group * 64, w_less(w_high(both), offset));
        }
    }
}

// The scales of `count` blocks of a tile, and its minima: see block_scales.
inline void write_scales(const Packed & w, int tile, int first, int count, float * scales) {
    const size_t block = static_cast<size_t>(tile) * w.blocks + first;
    if (w.kind == PackedKind::i8_per_row) return;
    for (int b = 0; b < count; b++, scales += block_scales) {
        if (w.kind != PackedKind::i4_with_min) {
            f_store(scales, f_half(w.scales + (block + b) * tile_rows));
            continue;
        }
        const uint8_t * factors = w.factors + (block + b) * 32;
        const uint16_t * supers = w.supers + (static_cast<size_t>(tile) * (w.blocks / 8) + (first + b) / 8) * 32;
        f_store(scales, f_mul(f_half(supers), f_bytes(factors)));
        f_store(scales + tile_rows, f_mul(f_half(supers + tile_rows), f_bytes(factors + tile_rows)));
    }
}

// Some blocks of T tiles of weights: signed bytes, and what their sums are multiplied by.
template <int T>
struct WeightChunk {
    alignas(64) uint8_t unpacked[T][chunk_blocks * tile_rows * block_depth];
    alignas(64) float scales[T][chunk_blocks * block_scales];
    const uint8_t * bytes[2] = {}; // packed or unpacked
    int first, count;              // blocks
};
inline int lines_of_block(const Packed & w) { return has_nibbles(w) ? 4 : 8; }

template <int T>
inline void read_chunk(const Packed & w, int tile, int first, WeightChunk<T> & chunk) {
    chunk.first = first;
    chunk.count = w.blocks - first < chunk_blocks ? w.blocks - first : chunk_blocks;
    for (int t = 0; t < T; t++) {
        chunk.bytes[t] = w.values + w.tile_bytes() * (tile + t) + static_cast<size_t>(first) * lines_of_block(w) * 64;
        if (has_nibbles(w)) {
            unpack_nibbles(chunk.bytes[t], chunk.count, w.kind == PackedKind::i4 ? 8 : 0, chunk.unpacked[t]);
            chunk.bytes[t] = chunk.unpacked[t];
        }
        write_scales(w, tile + t, first, chunk.count, chunk.scales[t]);
    }
}

// Columns from `column`, up to 16 of which are multiplied together; their products, see column_stride.
struct ColumnsInTiles {
    int column, count;
    float * products;
};

// Adds the products of a chunk and up to 16 columns. `line`, `some`: the lines of each block that are fetched of the T tiles
// from `next_tile`.
template <int T>
inline void multiply_chunk(
    const ProductJob & job, const WeightChunk<T> & chunk, const ColumnsInTiles & columns, int next_tile, int line,
    int some, int32_t (*sums)[chunk_blocks * product_values]
) {
    const Packed & w = *job.weight;
    const int block_lines = lines_of_block(w);
    const size_t place = place_of(columns.column, w.blocks, chunk.first);
    NextTile next[T];
    for (int t = 0; t < T; t++) {
        const uint8_t * block =
            w.values + w.tile_bytes() * (next_tile + t) + (static_cast<size_t>(chunk.first) * block_lines + line) * 64;
        next[t] = {block, block_lines * 64, some / 2, some - some / 2};
    }
    int32_t * all_sums[2] = {sums[0], sums[T - 1]};
    multiply_bytes<T>(chunk.bytes, job.x.bytes + place * block_bytes, chunk.count, all_sums, next);
    for (int t = 0; t < T; t++) {
        const Sums scaled{
            .sums = sums[t],
            .scales = chunk.scales[t],
            .column_scales = job.x.scales + place,
            .column_sums = job.x.sums + place,
            .first = chunk.first,
            .count = chunk.count,
            .products = columns.products + t * tile_rows,
            .next = next[t],
        };
        if (w.kind == PackedKind::i4_with_min) scale_columns<Scaling::minimums>(columns.count, scaled);
        else if (w.kind == PackedKind::i8_per_row) scale_columns<Scaling::rows>(columns.count, scaled);
        else scale_columns<Scaling::blocks>(columns.count, scaled);
    }
}

// T neighboring tiles and columns [begin, end) of quantized weights.
template <int T>
[[gnu::noinline]] void product_of_bytes(const ProductJob & job, int tile, int begin, int end) {
    const Packed & w = *job.weight;
    const int block_lines = lines_of_block(w);
    WeightChunk<T> chunk;
    alignas(64) int32_t sums[T][chunk_blocks * product_values];
    alignas(64) float products[most_tile_columns * column_stride];
    for (int from = begin / column_group * column_group; from < end; from += most_tile_columns) {
        const int until = end - from < most_tile_columns ? end : from + most_tile_columns,
                  groups = (until - from + column_group - 1) / column_group;
        const int lines = until == end ? (block_lines + groups - 1) / groups : 0;
        for (int first = 0; first < w.blocks; first += chunk_blocks) {
            read_chunk<T>(w, tile, first, chunk);
            for (int group = 0; group < groups; group++) {
                const int column = from + group * column_group;
                const int line = group * lines < block_lines ? group * lines : block_lines,
                          some = block_lines - line < lines ? block_lines - line : lines;
                const ColumnsInTiles columns{column, until - column, products + (column - from) * column_stride};
                multiply_chunk<T>(job, chunk, columns, tile + T, line, some, sums);
            }
        }
        for (int c = from > begin ? from : begin; c < until; c++) {
            F32x16 y[2];
            for (int t = 0; t < T; t++) {
                y[t] = f_load(products + (c - from) * column_stride + t * tile_rows);
                if (w.kind == PackedKind::i8_per_row) y[t] = f_mul(y[t], f_half(w.scales + (tile + t) * tile_rows));
            }
            finish_columns<T, 1>(job, tile, c, y);
        }
    }
}

// Adds the products of T tiles of weights and 16 columns, or with High 32, in steps of 32 values of depth.
template <int T, bool High>
inline void multiply_bfloats(
    const uint8_t * weights, size_t tile_bytes, const uint16_t * columns, size_t stride, int steps
) {
    const uint16_t * high = columns + column_group * stride;
    for (int i = 0; i < steps; i++, weights += 1024, columns += block_depth, high += block_depth) {
        tile_load<6>(weights, 64);
        tile_load<4>(columns, stride * 2);
        tile_dot_bf16<0, 4, 6>();
        if (T == 2) {
            tile_load<7>(weights + tile_bytes, 64);
            tile_dot_bf16<1, 4, 7>();
        }
        if (High) {
            tile_load<5>(high, stride * 2);
            tile_dot_bf16<2, 5, 6>();
            if (T == 2) tile_dot_bf16<3, 5, 7>();
        }
    }
}

// T neighboring tiles and columns [begin, end) of bf16_pairs.
template <int T>
[[gnu::noinline]] void product_of_bfloats(const ProductJob & job, int tile, int begin, int end) {
    const Packed & w = *job.weight;
    const size_t tile_bytes = w.tile_bytes();
    const uint8_t * weights = w.values + tile_bytes * tile;
    const int steps = w.depth / block_depth;
    constexpr size_t stride_bytes = column_stride * sizeof(float);
    alignas(64) float products[2 * column_group * column_stride];
    float * high_products = products + column_group * column_stride;
    for (int first = begin; first < end; first += 2 * column_group) {
        const uint16_t * columns = job.x.bfloats + first * job.x.stride;
        const bool high = end - first > column_group;
        tile_zero<0>();
        tile_zero<1>();
        tile_zero<2>();
        tile_zero<3>();
        if (high) multiply_bfloats<T, true>(weights, tile_bytes, columns, job.x.stride, steps);
        else multiply_bfloats<T, false>(weights, tile_bytes, columns, job.x.stride, steps);
        tile_store<0>(products, stride_bytes);
        if (T == 2) tile_store<1>(products + tile_rows, stride_bytes);
        if (high) tile_store<2>(high_products, stride_bytes);
        if (high && T == 2) tile_store<3>(high_products + tile_rows, stride_bytes);
        const int until = end - first < 2 * column_group ? end : first + 2 * column_group;
        for (int c = first; c < until; c++) {
            F32x16 y[2];
            for (int t = 0; t < T; t++) y[t] = f_load(products + (c - first) * column_stride + t * tile_rows);
            finish_columns<T, 1>(job, tile, c, y);
        }
    }
}

// Tiles [tile, last) and columns [begin, end).
inline void product_in_tiles(Member & member, const ProductJob & job, int tile, int last, int begin, int end) {
    const bool bytes = job.weight->quantized();
    shape_tiles(member, bytes ? Member::TileShape::bytes : Member::TileShape::bfloats);
    for (; tile < last; tile += 2) {
        const bool pair = tile + 1 < last;
        if (bytes && pair) product_of_bytes<2>(job, tile, begin, end);
        else if (bytes) product_of_bytes<1>(job, tile, begin, end);
        else if (pair) product_of_bfloats<2>(job, tile, begin, end);
        else product_of_bfloats<1>(job, tile, begin, end);
    }
}
