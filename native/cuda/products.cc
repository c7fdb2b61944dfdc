#include "cuda/products.h"

#include <algorithm>
#include <type_traits>

#include "cuda/kernels/tiled_product.h"

namespace svc::cuda {
namespace {

constexpr int warps = 8;

template <typename Kind>
size_t stream_shared(bool gated, int groups, int slots) {
    const auto of = [&](auto tiles) -> size_t {
        constexpr int t = decltype(tiles)::value;
        switch (groups) {
        case 1: return stream_product_shared<Kind, t, 1, warps>(slots);
        case 2: return stream_product_shared<Kind, t, 2, warps>(slots);
        case 3: return stream_product_shared<Kind, t, 3, warps>(slots);
        default: return stream_product_shared<Kind, t, 4, warps>(slots);
        }
    };
    return gated ? of(std::integral_constant<int, 4>()) : of(std::integral_constant<int, 2>());
}

size_t stream_shared(Format format, bool gated, int groups, int slots) {
    switch (format) {
    case Format::bytes: return stream_shared<Bytes>(gated, groups, slots);
    case Format::bfloats:
    case Format::halves: return stream_shared<Bfloats>(gated, groups, slots);
    default: return stream_shared<Mixed>(gated, groups, slots);
    }
}

ProductPlan plan_stream(Format format, bool gated, ProductJob & job, const Limits & limits) {
    const int tiles = gated ? 4 : 2, all = (job.columns + 7) / 8;
    const int row_blocks = job.weight.rows / (tiles * tile_rows);
    // Parts of equal size, of at most 4 groups of 8 columns. Few columns in as many parts as find free multiprocessors:
    // arithmetic on some of them takes longer than reading the weights again from the cache. And with one block on each,
    // its ring may hold all steps.
    const bool few = all <= 4;
    int parts = (all + 3) / 4;
    while (few && parts < all && row_blocks * (parts + 1) <= 2 * limits.multiprocessors) parts++;
    const int groups = (all + parts - 1) / parts;
    parts = (all + groups - 1) / groups;
    const bool alone = few && !gated && row_blocks * parts <= limits.multiprocessors;
    const size_t most = static_cast<size_t>(limits.shared_bytes) / (alone ? 1 : 2) - 2048;
    const int needed = (job.weight.steps + warps - 1) / warps;
    job.slots = std::clamp(needed, 1, 8);
    while (job.slots > 1 && stream_shared(format, gated, groups, job.slots) > most) job.slots--;
    return {
        .kernel = std::string("stream_") + name_of(format) + (gated ? "_gated_" : "_") + std::to_string(groups),
        .grid = {row_blocks, parts, 1},
        .threads = warps * 32,
        .shared_bytes = stream_shared(format, gated, groups, job.slots),
    };
}

size_t tiled_shared(Format format, int rows, int columns, int stages) {
    const auto of = [&](auto kind) -> size_t {
        using Kind = decltype(kind);
        if (rows == 64)
            return columns == 64 ? TiledShape<Kind, 2, 2>::shared(stages) : TiledShape<Kind, 2, 3>::shared(stages);
        return columns == 96 ? TiledShape<Kind, 4, 3>::shared(stages) : TiledShape<Kind, 4, 4>::shared(stages);
    };
    return byte_weights(format) ? of(Mixed()) : of(Bfloats());
}

// Roughly what a product takes in microseconds on an H100: rounds of blocks, each with a fixed part and a part per step of
// the depth.
struct TileCost {
    int rows, columns;
    double fixed, step;
};
constexpr TileCost tile_costs[] = {{64, 64, 3.4, 1.0}, {64, 96, 4.0, 1.2}, {128, 96, 6.6, 2.0}, {128, 128, 7.5, 2.2}};
constexpr int fewest_stages = 3, most_stages = 5;

double rounds_of(int blocks, const Limits & limits) {
    return (blocks + limits.multiprocessors - 1) / limits.multiprocessors;
}

double stream_cost(const ProductJob & job, bool gated, const Limits & limits) {
    const int parts = ((job.columns + 7) / 8 + 3) / 4;
    const double steps = (job.weight.steps + warps - 1) / warps;
    return rounds_of(job.weight.rows / (gated ? 64 : 32) * parts, limits) *
        (gated ? 2.0 + 4.5 * steps : 1.3 + 2.1 * steps);
}

ProductPlan plan_tiled(Format format, bool gated, ProductJob & job, const TileCost & tile, const Limits & limits) {
    const auto fits = [&](int stages) {
        return tiled_shared(format, tile.rows, tile.columns, stages) + 2048 <= static_cast<size_t>(limits.shared_bytes);
    };
    job.slots = fewest_stages;
    while (job.slots < most_stages && fits(job.slots + 1)) job.slots++;
    return {
        .kernel = std::string("tiled_") + name_of(format) + (gated ? "_gated_" : "_") + std::to_string(tile.rows) +
            "_" + std::to_string(tile.columns),
        .grid = {job.weight.rows / tile.rows, (job.columns + tile.columns - 1) / tile.columns, 1},
        .threads = tiled_threads,
        .shared_bytes = tiled_shared(format, tile.rows, tile.columns, job.slots),
    };
}

bool can_tile(Format format, const ProductJob & job, const TileCost & tile, const Limits & limits) {
    return !byte_columns(format) && job.weight.rows % tile.rows == 0 &&
        tiled_shared(format, tile.rows, tile.columns, fewest_stages) + 2048 <= static_cast<size_t>(limits.shared_bytes);
}

} // namespace

ProductPlan plan_product(Format format, bool gated, ProductJob & job, const Limits & limits) {
    constexpr int many = 48; // columns
    const TileCost * best = nullptr;
    double least = stream_cost(job, gated, limits);
    for (const TileCost & tile : tile_costs) {
        if (job.columns < many || !can_tile(format, job, tile, limits)) continue;
        const int blocks = job.weight.rows / tile.rows * ((job.columns + tile.columns - 1) / tile.columns);
        const double cost = rounds_of(blocks, limits) * (tile.fixed + tile.step * job.weight.steps);
        if (cost >= least) continue;
        least = cost;
        best = &tile;
    }
    return best ? plan_tiled(format, gated, job, *best, limits) : plan_stream(format, gated, job, limits);
}

std::vector<PlannedProduct> all_products(Format format, bool gated, const ProductJob & job, const Limits & limits) {
    std::vector<PlannedProduct> all;
    ProductJob own = job;
    const ProductPlan stream = plan_stream(format, gated, own, limits);
    all.push_back({stream, own});
    for (const TileCost & tile : tile_costs) {
        if (!can_tile(format, own, tile, limits)) continue;
        const ProductPlan plan = plan_tiled(format, gated, own, tile, limits);
        all.push_back({plan, own});
    }
    return all;
}

} // namespace svc::cuda
