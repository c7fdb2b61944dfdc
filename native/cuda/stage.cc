#include "cuda/stage.h"

#include <algorithm>
#include <cmath>

#include "cuda/kernels/local_attention.h"
#include "cuda/kernels/text_peaks.h"
#include "cuda/products.h"

namespace svc::cuda {
namespace {

// Bytes are multiplied as they are up to this many columns, where reading the weights limits the speed.
constexpr int few_columns = 32;

Format format_for(Format model, int columns) {
    return model == Format::bytes && columns > few_columns ? Format::mixed : model;
}

float score_scale(const StackShape & shape) { return 1.0f / std::sqrt(static_cast<float>(shape.head_dim)); }

} // namespace

void Launcher::launch_product(Format format, ProductJob & job, bool gated) {
    const ProductPlan plan = plan_product(format, gated, job, device_.limits());
    const double rows = job.weight.rows, depth = static_cast<double>(job.weight.steps) * step_depth,
                 columns = job.columns, results = gated ? rows / 2 : rows,
                 weights = rows / tile_rows * job.weight.steps * step_bytes(format);
    double moved = weights + column_bytes(format, columns, depth);
    if (job.finish.out) moved += float_bytes(columns, results);
    if (job.finish.residual) moved += float_bytes(columns, results);
    if (job.finish.next.values) moved += column_bytes(format, columns, results);
    cost_ += {.weight_bytes = weights, .operations = 2 * rows * depth * columns / (byte_columns(format) ? 2 : 1)};
    launch(plan.kernel, plan.grid, plan.threads, plan.shared_bytes, job, moved);
}

Stage::Stage(Device & device, Queue & queue, const Network & network, int columns)
    : Launcher(device, queue), network_(network), format_(format_for(network.format, columns)), columns_(columns) {
    // few columns: more blocks for each
    splits_ = columns <= 4 ? 16 : columns <= 16 ? 8 : columns <= 64 ? 4 : 1;
    int most_rows = 0;
    for (const Target & target : network.targets) most_rows = std::max(most_rows, target.padded_rows);
    additions_ = floats(static_cast<size_t>(columns) * most_rows);
}

Columns Stage::columns(int count, int depth, bool squares) {
    const int capacity = (count + 7) / 8 * 8, blocks = (depth + step_depth - 1) / step_depth * step_blocks;
    const size_t all = static_cast<size_t>(blocks) * capacity;
    return {
        arena_.array<uint8_t>(all * block_bytes(format_)),
        byte_columns(format_) ? arena_.array<float>(all) : nullptr,
        squares ? arena_.array<float>(all) : nullptr,
        capacity,
        blocks,
        depth,
    };
}

Stage::Scratch Stage::scratch(const StackShape & shape, int count) {
    const size_t heads = static_cast<size_t>(shape.heads / shape.together());
    if (!parts_) {
        // of the language models, which share their shape
        parts_ = floats(static_cast<size_t>(columns_) * heads * splits_ * shape.together() * (shape.head_padded + 2));
        arrived_ = arena_.array<int>(static_cast<size_t>(columns_) * heads);
    }
    return {
        .x = floats(static_cast<size_t>(count) * shape.width()),
        .input = columns(count, shape.hidden, true),
        .normed = columns(count, shape.hidden, true),
        .attended = columns(count, shape.attended()),
        .gated = columns(count, shape.ffn_width()),
        .qkv = floats(static_cast<size_t>(count) * shape.qkv_rows()),
    };
}

Finish Stage::to_floats(const Linear & linear, float * out, int stride) const {
    return {.eps = network_.config.base_lm.eps, .bias = linear.bias, .out = out, .stride = stride};
}

void Stage::adapted_product(const Linear & linear, ProductJob job, bool gated) {
    job.weight = linear.weight;
    if (adapters_.adapters && linear.product >= 0) {
        const AdapterJob update{
            .x = job.x,
            .from = job.from,
            .eps = job.finish.eps,
            .columns = job.columns,
            .each = each_,
            .streams = adapters_.streams,
            .adapters = adapters_.adapters,
            .weights = adapters_.weights,
            .product = linear.product,
            .depth = linear.weight.steps * step_depth,
            .rows = linear.weight.rows,
            .out = additions_,
        };
        launch_columns(
            "adapter", {job.columns}, 256, adapter_shared(most_adapter_rank), update,
            column_bytes(format_, job.columns, update.depth) + float_bytes(job.columns, update.rows)
        );
        job.finish.addition = additions_;
        job.finish.addition_stride = linear.weight.rows;
    }
    launch_product(format_, job, gated);
}

void Stage::product(const Linear & linear, const Columns & x, int count, const Finish & finish, ColumnMap from) {
    adapted_product(linear, {.x = x, .from = from, .columns = count, .finish = finish}, false);
}

void Stage::gated_product(const Linear & linear, const Columns & x, int count, const Finish & finish, ColumnMap from) {
    adapted_product(linear, {.x = x, .from = from, .columns = count, .finish = finish}, true);
}

// qkv · attention · o · gate and up · down: norms and quantization are in what products do with their results.
template <typename Attention>
void Stage::layer(
    const Stack & stack, size_t index, Scratch & s, const float * x_in, int count, const Picked & picked,
    const Attention & attention
) {
    const StackShape & shape = stack.shape;
    const auto & weights = stack.layers[index];
    const bool last = index + 1 == stack.layers.size();
    product(
        weights.qkv, index == 0 ? s.input : s.normed, count,
        {.eps = shape.eps, .out = s.qkv, .stride = shape.qkv_rows()}
    );
    attention();
    // of the last layer, only the wanted columns
    const ColumnMap map = last ? picked.map : ColumnMap{};
    const int wanted = last ? picked.count : count;
    Finish onto{
        .eps = shape.eps,
        .residual = index == 0 && x_in ? x_in : s.x,
        .residual_scale = shape.residual_scale,
        .out = s.x,
        .stride = shape.width(),
        .to = map,
        .next = s.normed,
        .norm = weights.ffn_norm,
    };
    product(weights.o, s.attended, wanted, onto, map);
    gated_product(weights.gate_up, s.normed, wanted, {.eps = shape.eps, .to = map, .next = s.gated}, map);
    onto.residual = s.x;
    onto.norm = last ? stack.output_norm : stack.layers[index + 1].attention_norm;
    product(weights.down, s.gated, wanted, onto, map);
}

double Stage::attention_bytes(const StackShape & shape, double columns) const {
    return float_bytes(columns, shape.qkv_rows()) + column_bytes(format_, columns, shape.attended());
}

void Stage::local_stack(
    const Stack & stack, Scratch & s, const float * x_in, int sequences, int length, const Picked & picked
) {
    const StackShape & shape = stack.shape;
    const LocalAttentionJob job{
        .qkv = s.qkv,
        .stride = shape.qkv_rows(),
        .length = length,
        .heads = shape.heads,
        .kv_heads = shape.kv_heads,
        .scale = score_scale(shape),
        .rope = {stack.rope},
        .out = s.attended,
    };
    for (size_t i = 0; i < stack.layers.size(); i++) {
        layer(stack, i, s, x_in, sequences * length, picked, [&] {
            launch_columns(
                "local_attention_" + std::to_string(shape.head_padded), {shape.heads, sequences},
                local_attention_threads(length, shape.head_padded), local_attention_shared(length, shape.head_padded),
                job, attention_bytes(shape, sequences * length)
            );
        });
    }
}

void Stage::cached_attention(
    const Stack & stack, Scratch & s, int count, const BatchCache & cache, int layer, bool attends
) {
    const StackShape & shape = stack.shape;
    const std::string size = std::to_string(shape.head_padded);
    const CachedColumns columns{
        .qkv = s.qkv,
        .stride = shape.qkv_rows(),
        .heads = shape.heads,
        .layer = layer,
        .rope = {stack.rope},
        .pages = cache.pages,
        .slots = cache.slots,
        .positions = cache.positions,
    };
    const double rows = 2.0 * shape.kv_heads * shape.head_padded;
    if (cache.stored) launch("store_kv_" + size, {count}, 128, 0, StoreKvJob{columns}, count * rows * (4 + 2));
    if (!attends) return;
    const int together = shape.together();
    const CachedAttentionJob job{
        .columns = columns,
        .together = together,
        .splits = splits_,
        .stored = cache.stored,
        .scale = score_scale(shape),
        .parts = parts_,
        .arrived = arrived_,
        .out = s.attended,
    };
    launch_columns(
        "cached_attention_" + size, {splits_, count, shape.heads / together}, 32 * together,
        cached_attention_shared(together, shape.head_padded), job,
        attention_bytes(shape, count) + (cache.stored ? 0 : count * rows * 2)
    );
    if (!cache.text || layer >= network_.config.base_lm.layers) return;
    const TextPeaksJob peaks{
        .columns = columns,
        .scale = score_scale(shape),
        .text = cache.text,
        .out = cache.peaks,
        .stride = network_.config.base_lm.layers * shape.heads,
    };
    launch(
        "text_peaks_" + size, {shape.heads, count}, 32, text_peaks_shared(shape.head_padded), peaks,
        float_bytes(count, shape.attended())
    );
}

void Stage::cached_stack(
    const Stack & stack, Scratch & s, const float * x_in, int count, const BatchCache & cache, int first_layer,
    bool last
) {
    const size_t whole = stack.layers.size() - (last ? 0 : 1);
    for (size_t i = 0; i < whole; i++) {
        // without the end of the last layer, the one before it leads into another
        layer(stack, i, s, x_in, count, {{}, count}, [&] {
            cached_attention(stack, s, count, cache, first_layer + static_cast<int>(i), true);
        });
        if (tap_) tap_("layer" + std::to_string(i) + ".out", s.x, count, stack.shape.hidden, stack.shape.width());
    }
    if (last) return;
    product(
        stack.layers[whole].qkv, whole == 0 ? s.input : s.normed, count,
        {.eps = stack.shape.eps, .out = s.qkv, .stride = stack.shape.qkv_rows()}
    );
    cached_attention(stack, s, count, cache, first_layer + static_cast<int>(whole), false);
}

} // namespace svc::cuda
