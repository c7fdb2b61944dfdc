#include <algorithm>
#include <cmath>
#include <cstring>

#include "cuda/card_check.h"
#include "cuda/check_values.h"
#include "cuda/products.h"
#include "runtime/error.h"

namespace svc::cuda {
namespace {

struct CheckedFormat {
    Format format;
    bool gated;       // whether gated products have it
    double tolerance; // RMS of the error, relative to that of the values
    bool warpgroups;
};
constexpr CheckedFormat checked_formats[] = {
    {Format::bytes, true, 0.015, false},   {Format::mixed, true, 0.015, false}, {Format::bfloats, true, 0.01, false},
    {Format::halves, false, 0.002, false}, {Format::mixed, true, 0.015, true},  {Format::bfloats, true, 0.01, true},
    {Format::halves, false, 0.002, true},
};

// Blocks of each size, several steps for a warp, and a rest of each.
constexpr int row_count = 128, depth = 1184;

// Columns as `prepare` stores them.
struct HostColumns {
    std::vector<uint8_t> values;
    std::vector<float> scales;
    int capacity, blocks;

    HostColumns(Format format, const std::vector<float> & x, int columns)
        : capacity((columns + 7) / 8 * 8), blocks((depth + step_depth - 1) / step_depth * step_blocks) {
        values.resize(static_cast<size_t>(blocks) * capacity * block_bytes(format));
        scales.resize(static_cast<size_t>(blocks) * capacity);
        for (int column = 0; column < columns; column++) {
            for (int first = 0; first < depth; first += block_depth)
                store(format, x.data() + static_cast<size_t>(column) * depth + first, first / block_depth, column);
        }
    }

private:
    void store(Format format, const float * x, int block, int column) {
        const size_t at = static_cast<size_t>(block) * capacity + column;
        uint8_t * to = values.data() + at * block_bytes(format);
        if (!byte_columns(format)) {
            for (int k = 0; k < block_depth; k++) {
                const uint16_t bits = format == Format::halves ? half_of(x[k]) : bfloat_of(x[k]);
                std::memcpy(to + 2 * k, &bits, 2);
            }
            return;
        }
        float peak = 0;
        for (int k = 0; k < block_depth; k++) peak = std::max(peak, std::fabs(x[k]));
        for (int k = 0; k < block_depth; k++) to[k] = static_cast<uint8_t>(std::lround(x[k] * 127 / peak));
        scales[at] = peak / 127;
    }
};

// What a product must be, column by column: rows · columns + bias, or silu(rows · columns) · (other rows · columns) + bias.
std::vector<double> expected_product(
    const std::vector<float> & weights, const std::vector<float> & x, const std::vector<float> & bias, int columns,
    bool gated
) {
    const auto dot = [&](int row, int column) {
        const float *w = weights.data() + static_cast<size_t>(row) * depth,
                    *from = x.data() + static_cast<size_t>(column) * depth;
        double sum = 0;
        for (int k = 0; k < depth; k++) sum += static_cast<double>(w[k]) * from[k];
        return sum;
    };
    std::vector<double> all;
    for (int column = 0; column < columns; column++) {
        for (int row = 0; row < (gated ? row_count / 2 : row_count); row++) {
            if (!gated) {
                all.push_back(dot(row, column) + bias[row]);
                continue;
            }
            const double gate = dot(gated_row(row, true), column), other = dot(gated_row(row, false), column);
            all.push_back(gate / (1 + std::exp(-gate)) * other + bias[row]);
        }
    }
    return all;
}

// Milliseconds of a product by the kernel that is chosen for it.
double time_product(Device & device, Queue & queue, Format format, ProductJob job, const Limits & limits) {
    Arena arena(device);
    job.weight.data =
        arena.array<uint8_t>(static_cast<size_t>(job.weight.rows / tile_rows) * job.weight.steps * step_bytes(format));
    job.x.values = arena.array<uint8_t>(static_cast<size_t>(job.x.capacity) * job.x.blocks * block_bytes(format));
    job.finish.out = arena.array<float>(static_cast<size_t>(job.columns) * job.weight.rows);
    job.finish.stride = job.weight.rows;
    const ProductPlan plan = plan_product(format, false, job, limits);
    const std::unique_ptr<Clock> clock = queue.make_clock(2);
    const std::unique_ptr<Recording> recording = queue.record([&] {
        clock->mark(0);
        for (int i = 0; i < 2; i++) queue.launch(plan.kernel, plan.grid, plan.threads, plan.shared_bytes, job);
        clock->mark(1);
    });
    for (int i = 0; i < 2; i++) recording->run(); // the first fills the caches
    queue.synchronize();
    return clock->between(0, 1);
}

// Products of warpgroups that are slower than those of all cards, such as on a card that shares its multiprocessors, are not
// worth having. As many rows as occupy all multiprocessors, and the columns of VoxCPM 2 in LocDiT with 8 utterances.
void require_fast_warpgroups(Device & device, Queue & queue, Format format) {
    constexpr int columns = 176;
    Limits limits = device.limits();
    ProductJob job{.weight = {nullptr, 128 * limits.multiprocessors, 4}, .columns = columns};
    job.x.capacity = columns;
    job.x.blocks = job.weight.steps * step_blocks;
    job.x.depth = job.weight.steps * step_depth;
    const double with = time_product(device, queue, format, job, limits);
    limits.warpgroups = false;
    const double without = time_product(device, queue, format, job, limits);
    if (with > without) fail("BACKEND_UNAVAILABLE", "slower than without warpgroups: ", with, " ms, ", without, " ms");
}

} // namespace

std::vector<std::string> product_checks(const Limits & limits) {
    std::vector<std::string> names;
    for (const CheckedFormat & one : checked_formats) {
        if (one.warpgroups && !limits.warpgroups) break;
        names.push_back(
            std::string(one.warpgroups ? "products of warpgroups of " : "products of ") + name_of(one.format)
        );
    }
    return names;
}

void check_products(Device & device, Queue & queue, int index) {
    const CheckedFormat & checked = checked_formats[index];
    Noise noise{static_cast<uint32_t>(index + 1)};
    const std::vector<float> weights = noise.values(static_cast<size_t>(row_count) * depth),
                             bias = noise.values(row_count);
    PackedMatrix packed(checked.format, row_count, depth);
    for (int row = 0; row < row_count; row++)
        packed.set_row(row, weights.data() + static_cast<size_t>(row) * depth, depth);
    const Limits limits = device.limits();
    // 8, 16, 24 and 32 columns are the groups of a block where no multiprocessor is free; warpgroups are for many
    const std::vector<int> counts = checked.warpgroups ? std::vector{200} : std::vector{3, 16, 24, 32, 70};
    for (const int columns : counts) {
        const std::vector<float> x = noise.values(static_cast<size_t>(columns) * depth);
        const HostColumns host(checked.format, x, columns);
        Arena arena(device);
        ProductJob job{
            .weight = {arena.copy(packed.data), packed.rows, packed.steps},
            .x = {.values = arena.copy(host.values), .scales = arena.copy(host.scales)},
            .columns = columns,
        };
        job.x.capacity = host.capacity;
        job.x.blocks = host.blocks;
        job.x.depth = depth;
        for (const bool gated : {false, true}) {
            if (gated && !checked.gated) continue;
            const int rows = gated ? row_count / 2 : row_count;
            const std::vector<double> expected = expected_product(weights, x, bias, columns, gated);
            job.finish = {.bias = arena.copy(bias), .stride = rows};
            for (const PlannedProduct & product : all_products(
                     checked.format, gated, job,
                     {columns == 3 ? limits.multiprocessors : 1, limits.shared_bytes, checked.warpgroups}
                 )) {
                ProductJob own = product.job;
                own.finish.out = arena.array<float>(expected.size());
                const ProductPlan & plan = product.plan;
                queue.launch(plan.kernel, plan.grid, plan.threads, plan.shared_bytes, own);
                queue.synchronize();
                require_close(
                    read_array<float>(device, own.finish.out, expected.size()), expected, checked.tolerance, plan.kernel
                );
            }
        }
    }
    if (checked.warpgroups && checked.format == Format::mixed) require_fast_warpgroups(device, queue, checked.format);
}

} // namespace svc::cuda
