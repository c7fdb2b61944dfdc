#include "cuda/products.h"

#include <algorithm>
#include <type_traits>

#include "cuda/kernels/warpgroup_product.h"

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
    const int all = (job.columns + 7) / 8, row_blocks = job.weight.rows / ((gated ? 4 : 2) * tile_rows);
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

// A block's rows and columns in a kernel, and roughly what a product takes in microseconds on an H100: rounds of blocks, each
// with a fixed part and a part per step of the depth. Those of warpgroups are computed, not measured: the larger of the
// arithmetic and of what a multiprocessor reads of the cache, 28 bytes a clock while all read.
struct Tile {
    bool warpgroup;
    int rows, columns;
    double fixed, step;
};
constexpr Tile tiles[] = {
    {false, 64, 64, 3.4, 1.0},   {false, 64, 96, 4.0, 1.2},  {false, 128, 96, 6.6, 2.0},
    {false, 128, 128, 7.5, 2.2}, {true, 64, 48, 3.5, 0.43},  {true, 64, 96, 4.0, 0.70},
    {true, 64, 176, 5.0, 1.13},  {true, 128, 96, 5.0, 0.88}, {true, 128, 176, 6.5, 1.3},
};
constexpr int most_stages = 5;
int fewest_stages(const Tile & tile) { return tile.warpgroup ? 2 : 3; }

template <typename Kind>
size_t tiled_shared(const Tile & tile, int stages) {
    if (tile.warpgroup) {
        if (tile.rows == 128)
            return tile.columns == 96 ? WarpgroupShape<Kind, 128, 96>::shared(stages)
                                      : WarpgroupShape<Kind, 128, 176>::shared(stages);
        if (tile.columns == 48) return WarpgroupShape<Kind, 64, 48>::shared(stages);
        return tile.columns == 96 ? WarpgroupShape<Kind, 64, 96>::shared(stages)
                                  : WarpgroupShape<Kind, 64, 176>::shared(stages);
    }
    if (tile.rows == 64)
        return tile.columns == 64 ? TiledShape<Kind, 2, 2>::shared(stages) : TiledShape<Kind, 2, 3>::shared(stages);
    return tile.columns == 96 ? TiledShape<Kind, 4, 3>::shared(stages) : TiledShape<Kind, 4, 4>::shared(stages);
}
size_t tiled_shared(Format format, const Tile & tile, int stages) {
    return byte_weights(format) ? tiled_shared<Mixed>(tile, stages) : tiled_shared<Bfloats>(tile, stages);
}
bool fits(Format format, const Tile & tile, int stages, const Limits & limits) {
    return tiled_shared(format, tile, stages) + 2048 <= static_cast<size_t>(limits.shared_bytes);
}

double rounds_of(int blocks, const Limits & limits) {
    return (blocks + limits.multiprocessors - 1) / limits.multiprocessors;
}

double stream_cost(const ProductJob & job, bool gated, const Limits & limits) {
    const int parts = ((job.columns + 7) / 8 + 3) / 4;
    const double steps = (job.weight.steps + warps - 1) / warps;
    return rounds_of(job.weight.rows / (gated ? 64 : 32) * parts, limits) *
        (gated ? 2.0 + 4.5 * steps : 1.3 + 2.1 * steps);
}

ProductPlan plan_tiled(Format format, bool gated, ProductJob & job, const Tile & tile, const Limits & limits) {
    job.slots = fewest_stages(tile);
    while (job.slots < most_stages && fits(format, tile, job.slots + 1, limits)) job.slots++;
    return {
        .kernel = std::string(tile.warpgroup ? "warpgroup_" : "tiled_") + name_of(format) + (gated ? "_gated_" : "_") +
            std::to_string(tile.rows) + "_" + std::to_string(tile.columns),
        .grid = {job.weight.rows / tile.rows, (job.columns + tile.columns - 1) / tile.columns, 1},
        .threads = tile.warpgroup ? tile.rows / warpgroup_rows * warpgroup_threads : tiled_threads,
        .shared_bytes = tiled_shared(format, tile, job.slots),
    };
}

bool can_tile(Format format, const ProductJob & job, const Tile & tile, const Limits & limits) {
    return !byte_columns(format) && job.weight.rows % tile.rows == 0 && (!tile.warpgroup || limits.warpgroups) &&
        fits(format, tile, fewest_stages(tile), limits);
}

} // namespace

ProductPlan plan_product(Format format, bool gated, ProductJob & job, const Limits & limits) {
    constexpr int many = 48; // columns
    const Tile * best = nullptr;
    double least = stream_cost(job, gated, limits);
    for (const Tile & tile : tiles) {
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
    if (!limits.warpgroups) {
        const ProductPlan stream = plan_stream(format, gated, own, limits);
        all.push_back({stream, own});
    }
    for (const Tile & tile : tiles) {
        if (tile.warpgroup != limits.warpgroups || !can_tile(format, own, tile, limits)) continue;
        const ProductPlan plan = plan_tiled(format, gated, own, tile, limits);
        all.push_back({plan, own});
    }
    return all;
}

} // namespace svc::cuda
