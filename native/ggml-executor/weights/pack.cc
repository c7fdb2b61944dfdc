#include "ggml-executor/weights/pack.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

#ifndef _WIN32
#include <sys/mman.h>
#endif

#include "ggml-executor/weights/finite_values.h"
#include "ggml-executor/ggml.h"

namespace svc {

namespace {

constexpr size_t huge_page = size_t{2} << 20;
constexpr size_t slab_bytes = size_t{64} << 20;

size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

} // namespace

HugeArena::~HugeArena() {
    for (uint8_t * slab : slabs_) {
#ifdef _WIN32
        _aligned_free(slab);
#else
        std::free(slab);
#endif
    }
}

uint8_t * HugeArena::take(size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    bytes = round_up(bytes, 64);
    if (bytes > left_) {
        const size_t size = round_up(std::max(bytes, slab_bytes), huge_page);
        slabs_.reserve(slabs_.size() + 1);
#ifdef _WIN32
        next_ = static_cast<uint8_t *>(_aligned_malloc(size, huge_page));
#else
        next_ = static_cast<uint8_t *>(std::aligned_alloc(huge_page, size));
#endif
        left_ = next_ ? size : 0;
        if (!next_) throw std::bad_alloc();
        slabs_.push_back(next_);
#ifdef __linux__
        madvise(next_, size, MADV_HUGEPAGE);
#endif
    }
    uint8_t * taken = next_;
    next_ += bytes;
    left_ -= bytes;
    return taken;
}

namespace {

PackedKind kind_of(const std::vector<MatrixSource> & sources) {
    for (const MatrixSource & source : sources) {
        if (source.type != sources.front().type) return PackedKind::f16;
    }
    switch (sources.front().type) {
    case GGML_TYPE_F32: return PackedKind::f32;
    case GGML_TYPE_BF16: return PackedKind::bf16;
    case GGML_TYPE_Q8_0: return PackedKind::i8;
    case GGML_TYPE_Q4_0: return PackedKind::i4;
    case GGML_TYPE_Q4_K: return PackedKind::i4_with_min;
    default: return PackedKind::f16;
    }
}

// The rows of one tile; nullptr beyond the last row of the matrix.
struct TileRows {
    const MatrixSource * source[tile_rows];
    const char * data[tile_rows];
    bool complete() const { return data[tile_rows - 1] != nullptr; }
};

TileRows rows_of_tile(const std::vector<MatrixSource> & sources, int depth, Arrangement arrangement, int tile) {
    TileRows rows{};
    for (int r = 0; r < tile_rows; r++) {
        size_t which = 0;
        int row;
        if (arrangement == Arrangement::interleaved) {
            which = tile % sources.size();
            row = tile / static_cast<int>(sources.size()) * tile_rows + r;
        } else {
            row = tile * tile_rows + r;
            while (which + 1 < sources.size() && row >= sources[which].rows) row -= sources[which++].rows;
        }
        if (row >= sources[which].rows) continue;
        rows.source[r] = &sources[which];
        rows.data[r] = sources[which].data +
            ggml_row_size(static_cast<ggml_type>(sources[which].type), depth) * (row - sources[which].first);
    }
    return rows;
}

// Positions of the values of the first row in a block; those of row r follow r · order.run bytes later.
std::array<int, block_depth> places_of(const ByteOrder & order) {
    std::array<int, block_depth> places;
    for (int k = 0; k < block_depth; k++) places[k] = k / order.run * tile_rows * order.run + k % order.run;
    return places;
}

// The following go block by block through all rows, so that each block is written while it is in the cache.

// Bytes of neighboring rows that belong together, four values of each at once: `from` to `from` + 16 of four rows, to
// places `step` bytes apart.
void transpose_fours(const char * const * from, size_t offset, uint32_t flip, uint8_t * to, size_t step) {
    using Vector [[gnu::vector_size(16)]] = uint32_t;
    Vector row[4];
    for (int r = 0; r < 4; r++) std::memcpy(&row[r], from[r] + offset, 16);
    const Vector a = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5),
                 b = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5),
                 c = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7),
                 d = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    const Vector out[4] = {
        __builtin_shufflevector(a, b, 0, 1, 4, 5) ^ flip, __builtin_shufflevector(a, b, 2, 3, 6, 7) ^ flip,
        __builtin_shufflevector(c, d, 0, 1, 4, 5) ^ flip, __builtin_shufflevector(c, d, 2, 3, 6, 7) ^ flip
    };
    for (int i = 0; i < 4; i++) std::memcpy(to + i * step, &out[i], 16);
}

// 2 bytes (float16 scale) and 32 signed bytes.
void pack_i8(const TileRows & rows, const ByteOrder & order, int blocks, uint8_t * values, uint16_t * scales) {
    const std::array<int, block_depth> places = places_of(order);
    const uint32_t flip = order.offset ? 0x80808080u : 0;
    if (!rows.complete()) {
        std::memset(values, order.offset ? 128 : 0, static_cast<size_t>(blocks) * 512);
        std::memset(scales, 0, static_cast<size_t>(blocks) * tile_rows * 2);
    }
    for (int b = 0; b < blocks; b++, values += 512, scales += tile_rows) {
        const bool fours = rows.complete() && order.run == 4;
        for (int r = 0; fours && r < tile_rows; r += 4) {
            for (int k = 0; k < block_depth; k += 16)
                transpose_fours(rows.data + r, b * 34 + 2 + k, flip, values + k * tile_rows + r * 4, 4 * tile_rows);
        }
        for (int r = 0; r < tile_rows && rows.data[r]; r++) {
            const char * block = rows.data[r] + static_cast<size_t>(b) * 34;
            std::memcpy(scales + r, block, 2);
            if (fours) continue;
            uint8_t * out = values + r * order.run;
            for (int k = 0; k < block_depth; k += 4) {
                uint32_t four;
                std::memcpy(&four, block + 2 + k, 4);
                four ^= flip;
                std::memcpy(out + places[k], &four, 4);
            }
        }
    }
}

// 2 bytes (float16 scale) and 16 bytes: value j in the low, value j + 16 in the high half of byte j.
void pack_i4(const TileRows & rows, const ByteOrder & order, int blocks, uint8_t * values, uint16_t * scales) {
    const std::array<int, block_depth> places = places_of(order);
    if (!rows.complete()) {
        std::memset(values, 0x88, static_cast<size_t>(blocks) * 256);
        std::memset(scales, 0, static_cast<size_t>(blocks) * tile_rows * 2);
    }
    for (int b = 0; b < blocks; b++, values += 256, scales += tile_rows) {
        for (int r = 0; r < tile_rows && rows.data[r]; r++) {
            const char * block = rows.data[r] + static_cast<size_t>(b) * 18;
            std::memcpy(scales + r, block, 2);
            uint8_t * out = values + r * order.run;
            for (int k = 0; k < 16; k += 4) std::memcpy(out + places[k], block + 2 + k, 4);
        }
    }
}

// 256 values: float16 scale and minimum, 12 bytes of 6-bit factors for 8 blocks, and 128 bytes of values; every 32
// bytes hold one block in their low halves and the next in their high halves.
void pack_i4m(
    const TileRows & rows, const ByteOrder & order, int blocks, uint8_t * values, uint8_t * factors, uint16_t * supers
) {
    const std::array<int, block_depth> places = places_of(order);
    if (!rows.complete()) {
        std::memset(values, 0, static_cast<size_t>(blocks) * 256);
        std::memset(factors, 0, static_cast<size_t>(blocks) * 32);
        std::memset(supers, 0, static_cast<size_t>(blocks) / 8 * 32 * 2);
    }
    for (int s = 0; s < blocks / 8; s++, values += 8 * 256, factors += 8 * 32, supers += 32) {
        for (int r = 0; r < tile_rows && rows.data[r]; r++) {
            const uint8_t * block = reinterpret_cast<const uint8_t *>(rows.data[r]) + static_cast<size_t>(s) * 144;
            std::memcpy(supers + r, block, 2);
            std::memcpy(supers + 16 + r, block + 2, 2);
            const uint8_t * six = block + 4;
            for (int j = 0; j < 8; j++) {
                factors[j * 32 + r] = j < 4 ? six[j] & 63 : (six[j + 4] & 15) | ((six[j - 4] >> 6) << 4);
                factors[j * 32 + 16 + r] = j < 4 ? six[j + 4] & 63 : (six[j + 4] >> 4) | ((six[j] >> 6) << 4);
            }
            for (int pair = 0; pair < 4; pair++) {
                const uint8_t * source = block + 16 + pair * 32;
                uint8_t * out = values + pair * 512 + r * order.run;
                for (int k = 0; k < 16; k += 4) {
                    uint32_t first, second; // values k … k + 3 and k + 16 … k + 19 of both blocks
                    std::memcpy(&first, source + k, 4);
                    std::memcpy(&second, source + k + 16, 4);
                    const uint32_t low = (first & 0x0f0f0f0fu) | (second & 0x0f0f0f0fu) << 4,
                                   high = (first >> 4 & 0x0f0f0f0fu) | (second & 0xf0f0f0f0u);
                    std::memcpy(out + places[k], &low, 4);
                    std::memcpy(out + 256 + places[k], &high, 4);
                }
            }
        }
    }
}

// Rows of any type, rounded to the multiples of a float16 scale.
void pack_i8_rows(
    const TileRows & rows, const ByteOrder & order, int depth, int blocks, uint8_t * values, uint16_t * scales
) {
    const std::array<int, block_depth> places = places_of(order);
    const int offset = order.offset ? 128 : 0;
    std::memset(values, offset, static_cast<size_t>(blocks) * 512);
    std::memset(scales, 0, tile_rows * 2);
    std::vector<float> row(depth);
    for (int r = 0; r < tile_rows; r++) {
        if (!rows.data[r]) continue;
        ggml_get_type_traits(static_cast<ggml_type>(rows.source[r]->type))->to_float(rows.data[r], row.data(), depth);
        float peak = 0;
        for (const float value : row) peak = std::max(peak, std::abs(value));
        float scale = peak / 127.0f;
        ggml_fp32_to_fp16_row(&scale, scales + r, 1);
        ggml_get_type_traits(GGML_TYPE_F16)->to_float(scales + r, &scale, 1);
        const float inverse = scale > 0 ? 1.0f / scale : 0.0f;
        for (int k = 0; k < depth; k++) {
            const float value = std::clamp(std::nearbyint(row[k] * inverse), -127.0f, 127.0f);
            values[k / block_depth * 512 + r * order.run + places[k % block_depth]] =
                static_cast<uint8_t>(static_cast<int>(value) + offset);
        }
    }
}

// Transposes 16 rows into `depth` groups of 16 values, a few at a time so that the target stays in the cache.
template <typename Value>
void interleave(const char * const * lines, int depth, uint8_t * values) {
    constexpr int some = 64;
    for (int first = 0; first < depth; first += some) {
        const int last = std::min(depth, first + some);
        for (int r = 0; r < tile_rows; r++) {
            for (int k = first; k < last; k++) {
                Value value = 0;
                if (lines[r]) std::memcpy(&value, lines[r] + static_cast<size_t>(k) * sizeof(Value), sizeof(Value));
                std::memcpy(values + (static_cast<size_t>(k) * tile_rows + r) * sizeof(Value), &value, sizeof(Value));
            }
        }
    }
}

void pack_float(const TileRows & rows, int depth, PackedKind kind, uint8_t * values) {
    std::vector<float> row(depth);
    std::vector<ggml_fp16_t> halves(kind == PackedKind::f16 ? static_cast<size_t>(depth) * tile_rows : 0);
    const char * lines[tile_rows] = {};
    for (int r = 0; r < tile_rows; r++) {
        if (!rows.data[r]) continue;
        const ggml_type type = static_cast<ggml_type>(rows.source[r]->type);
        const char * data = rows.data[r];
        if (kind == PackedKind::f16 && type != GGML_TYPE_F16) {
            const float * floats = reinterpret_cast<const float *>(data);
            if (type != GGML_TYPE_F32) {
                ggml_get_type_traits(type)->to_float(data, row.data(), depth);
                floats = row.data();
            }
            ggml_fp16_t * line = halves.data() + static_cast<size_t>(r) * depth;
            ggml_fp32_to_fp16_row(floats, line, depth);
            data = reinterpret_cast<const char *>(line);
        }
        lines[r] = data;
    }
    if (kind == PackedKind::f32) interleave<uint32_t>(lines, depth, values);
    else if (kind == PackedKind::bf16_pairs) interleave<uint32_t>(lines, depth / 2, values);
    else interleave<uint16_t>(lines, depth, values);
}

// The first source with infinity or NaN in these rows.
const MatrixSource * find_broken(const TileRows & rows, int depth) {
    for (int r = 0; r < tile_rows; r++) {
        if (rows.data[r] && !all_finite(static_cast<ggml_type>(rows.source[r]->type), rows.data[r], depth))
            return rows.source[r];
    }
    return nullptr;
}

} // namespace

PackedMatrix plan_packed(
    std::shared_ptr<HugeArena> arena, const ByteOrder & order, const std::vector<MatrixSource> & sources, int depth,
    Arrangement arrangement, Activations activations
) {
    PackedMatrix matrix;
    Packed & view = matrix.view;
    view.kind = kind_of(sources);
    if (view.kind == PackedKind::i4_with_min && activations == Activations::many) view.kind = PackedKind::i8_per_row;
    if (view.kind == PackedKind::bf16 && activations == Activations::rounded && depth % 2 == 0)
        view.kind = PackedKind::bf16_pairs;
    view.order = order;
    view.depth = depth;
    view.blocks = (depth + block_depth - 1) / block_depth;
    for (const MatrixSource & source : sources) view.rows += source.rows;
    if (arrangement == Arrangement::interleaved) {
        view.tiles = (sources.front().rows + tile_rows - 1) / tile_rows * static_cast<int>(sources.size());
    } else {
        view.tiles = (view.rows + tile_rows - 1) / tile_rows;
    }
    const size_t tiles = view.tiles, blocks = view.blocks;
    const size_t value_bytes = round_up(view.tile_bytes() * tiles + 1024, 64); // kernels prefetch past the end
    const size_t tile_scales = view.kind == PackedKind::i8 || view.kind == PackedKind::i4 ? blocks
        : view.kind == PackedKind::i8_per_row                                             ? 1
                                                                                          : 0;
    const size_t scale_bytes = round_up(tiles * tile_scales * tile_rows * 2, 64);
    const size_t factor_bytes = view.kind == PackedKind::i4_with_min ? round_up(tiles * blocks * 32, 64) : 0;
    const size_t super_bytes = view.kind == PackedKind::i4_with_min ? round_up(tiles * (blocks / 8) * 64, 64) : 0;
    uint8_t * values = arena->take(value_bytes + scale_bytes + factor_bytes + super_bytes);
    matrix.memory = std::move(arena);
    view.values = values;
    view.scales = reinterpret_cast<uint16_t *>(values + value_bytes);
    view.factors = values + value_bytes + scale_bytes;
    view.supers = reinterpret_cast<uint16_t *>(values + value_bytes + scale_bytes + factor_bytes);
    return matrix;
}

RowRange rows_in_tiles(
    const std::vector<MatrixSource> & sources, Arrangement arrangement, size_t which, int first, int last
) {
    const int rows = sources[which].rows;
    if (arrangement == Arrangement::interleaved) {
        const int count = static_cast<int>(sources.size()), index = static_cast<int>(which);
        // tiles of this source before a tile
        const auto before = [&](int tile) { return (tile - index + count - 1) / count; };
        return {std::min(rows, before(first) * tile_rows), std::min(rows, before(last) * tile_rows)};
    }
    int begin = 0;
    for (size_t i = 0; i < which; i++) begin += sources[i].rows;
    return {std::clamp(first * tile_rows - begin, 0, rows), std::clamp(last * tile_rows - begin, 0, rows)};
}

const MatrixSource * pack_tiles(
    const Packed & matrix, const std::vector<MatrixSource> & sources, Arrangement arrangement, int first, int last
) {
    // a Packed is read-only for everyone else
    auto *values = const_cast<uint8_t *>(matrix.values), *factors = const_cast<uint8_t *>(matrix.factors);
    auto *scales = const_cast<uint16_t *>(matrix.scales), *supers = const_cast<uint16_t *>(matrix.supers);
    const size_t blocks = matrix.blocks;
    const MatrixSource * broken = nullptr;
    for (int tile = first; tile < last; tile++) {
        const TileRows rows = rows_of_tile(sources, matrix.depth, arrangement, tile);
        uint8_t * out = values + matrix.tile_bytes() * tile;
        switch (matrix.kind) {
        case PackedKind::i8: pack_i8(rows, matrix.order, matrix.blocks, out, scales + tile * blocks * tile_rows); break;
        case PackedKind::i8_per_row:
            pack_i8_rows(rows, matrix.order, matrix.depth, matrix.blocks, out, scales + tile * tile_rows);
            break;
        case PackedKind::i4: pack_i4(rows, matrix.order, matrix.blocks, out, scales + tile * blocks * tile_rows); break;
        case PackedKind::i4_with_min:
            pack_i4m(
                rows, matrix.order, matrix.blocks, out, factors + tile * blocks * 32, supers + tile * (blocks / 8) * 32
            );
            break;
        default: pack_float(rows, matrix.depth, matrix.kind, out);
        }
        // packed scales lie together, those of a source are among its values
        const bool finite = matrix.kind == PackedKind::i8 &&
            all_finite(GGML_TYPE_F16, reinterpret_cast<const char *>(scales + tile * blocks * tile_rows),
                       blocks * tile_rows);
        if (!broken && !finite) broken = find_broken(rows, matrix.depth);
    }
    return broken;
}

PackedMatrix pack(
    std::shared_ptr<HugeArena> arena, const ByteOrder & order, const std::vector<MatrixSource> & sources, int depth,
    Arrangement arrangement, Activations activations
) {
    PackedMatrix matrix = plan_packed(std::move(arena), order, sources, depth, arrangement, activations);
    pack_tiles(matrix.view, sources, arrangement, 0, matrix.view.tiles);
    return matrix;
}

} // namespace svc
