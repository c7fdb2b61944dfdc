#include <algorithm>
#include <cmath>
#include <cstring>

#include "cuda/card_check.h"
#include "cuda/check_values.h"
#include "cuda/products.h"
#include "runtime/error.h"

namespace svc::cuda {
namespace {

enum class Values { fractions, whole };
struct CheckedFormat {
    Format format;
    bool gated;       // whether gated products have it
    double tolerance; // RMS of the error, relative to that of the values
    bool warpgroups = false;
    Values values = Values::fractions;
};
// Whole numbers with scales of one: sums of bytes are exact, as those of the CPU's kernels are.
constexpr CheckedFormat checked_formats[] = {
    {Format::bytes, true, 0.015},        {Format::bytes, false, 0, false, Values::whole},
    {Format::mixed, true, 0.015},        {Format::bfloats, true, 0.01},
    {Format::halves, false, 0.002},      {Format::mixed, true, 0.015, true},
    {Format::bfloats, true, 0.01, true}, {Format::halves, false, 0.002, true},
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

// Whole numbers that quantize to themselves.
void make_whole(std::vector<float> & values) {
    for (size_t i = 0; i < values.size(); i++) values[i] = i % block_depth == 0 ? 127 : std::round(values[i] * 100);
}

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

// A product by the kernel that is chosen for it, recorded several times.
class TimedProduct {
public:
    TimedProduct(Device & device, Queue & queue, Format format, ProductJob job, const Limits & limits)
        : queue_(queue), arena_(device), clock_(queue.make_clock(2)) {
        job.weight.data = arena_.array<uint8_t>(
            static_cast<size_t>(job.weight.rows / tile_rows) * job.weight.steps * step_bytes(format)
        );
        job.x.values = arena_.array<uint8_t>(static_cast<size_t>(job.x.capacity) * job.x.blocks * block_bytes(format));
        job.finish.out = arena_.array<float>(static_cast<size_t>(job.columns) * job.weight.rows);
        job.finish.stride = job.weight.rows;
        const ProductPlan plan = plan_product(format, false, job, limits);
        recording_ = queue.record([&] {
            clock_->mark(0);
            for (int i = 0; i < 2; i++) queue.launch(plan.kernel, plan.grid, plan.threads, plan.shared_bytes, job);
            clock_->mark(1);
        });
    }
    double milliseconds() {
        recording_->run();
        queue_.synchronize();
        return clock_->between(0, 1);
    }

private:
    Queue & queue_;
    Arena arena_;
    std::unique_ptr<Clock> clock_;
    std::unique_ptr<Recording> recording_;
};

// Products of warpgroups that are slower than those of all cards, such as on a card that shares its multiprocessors, are not
// worth having. As many rows as occupy all multiprocessors, and the columns of VoxCPM 2 in LocDiT with 8 utterances. A card
// that was idle raises its clocks meanwhile, so both are timed in turns, and the least of each counts; on a card that
// runs a product in less than a millisecond, more often.
void require_fast_warpgroups(Device & device, Queue & queue, Format format) {
    constexpr int columns = 176, most_rounds = 200;
    constexpr double margin = 1.1, most_milliseconds = 20;
    Limits limits = device.limits();
    ProductJob job{.weight = {nullptr, 128 * limits.multiprocessors, 8}, .columns = columns};
    job.x.capacity = columns;
    job.x.blocks = job.weight.steps * step_blocks;
    job.x.depth = job.weight.steps * step_depth;
    TimedProduct by_warpgroups(device, queue, format, job, limits);
    limits.warpgroups = false;
    TimedProduct by_warps(device, queue, format, job, limits);
    double with = by_warpgroups.milliseconds(), without = by_warps.milliseconds();
    const int rounds = static_cast<int>(std::min<double>(most_rounds, most_milliseconds / std::max(with, 1e-3)));
    for (int i = 0; i < rounds; i++) {
        with = std::min(with, by_warpgroups.milliseconds());
        without = std::min(without, by_warps.milliseconds());
    }
    if (with > without * margin)
        fail("BACKEND_UNAVAILABLE", "slower than without warpgroups: ", with, " ms, ", without, " ms");
}

} // namespace

std::vector<std::string> product_checks(const Limits & limits) {
    std::vector<std::string> names;
    for (const CheckedFormat & one : checked_formats) {
        if (one.warpgroups && !limits.warpgroups) break;
        const char * what = one.warpgroups ? "products of warpgroups of " : "products of ";
        names.push_back((one.values == Values::whole ? "sums of " : what) + std::string(name_of(one.format)));
    }
    return names;
}

void check_products(Device & device, Queue & queue, int index) {
    const CheckedFormat & checked = checked_formats[index];
    Noise noise{static_cast<uint32_t>(index + 1)};
    const auto values = [&](size_t rows) {
        std::vector<float> all = noise.values(rows * depth);
        if (checked.values == Values::whole) make_whole(all);
        return all;
    };
    const std::vector<float> weights = values(row_count), bias(row_count, 1.0f);
    PackedMatrix packed(checked.format, row_count, depth);
    for (int row = 0; row < row_count; row++)
        packed.set_row(row, weights.data() + static_cast<size_t>(row) * depth, depth);
    const Limits limits = device.limits();
    // 8, 16, 24 and 32 columns are the groups of a block where no multiprocessor is free; warpgroups are for many
    const std::vector<int> counts = checked.warpgroups ? std::vector{200} : std::vector{3, 16, 24, 32, 70};
    for (const int columns : counts) {
        const std::vector<float> x = values(columns);
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
    if (checked.warpgroups) require_fast_warpgroups(device, queue, checked.format);
}

} // namespace svc::cuda
