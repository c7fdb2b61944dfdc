#include "model/cpu_stack.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "model/transformer.h"

namespace svc {

CpuStack::CpuStack(
    Weights & weights, const std::string & prefix, const TransformerConfig & config, const RopeConfig & rope
)
    : prefix_(prefix), config_(config), rope_scale_(rope.scale) {
    const int64_t queries = static_cast<int64_t>(config.heads) * config.head_dim;
    const int64_t keys = static_cast<int64_t>(config.kv_heads) * config.head_dim;
    for (int i = 0; i < config.layers; i++) {
        const std::string block = prefix + "blk." + std::to_string(i) + ".";
        Layer & layer = layers_.emplace_back();
        layer.attention_norm = weights.vector(block + "attn_norm.weight", config.hidden);
        layer.qkv = weights.fused(
            {{block + "attn_q.weight", queries}, {block + "attn_k.weight", keys}, {block + "attn_v.weight", keys}},
            config.hidden, Arrangement::stacked
        );
        layer.o = weights.matrix(block + "attn_output.weight", queries, config.hidden);
        layer.ffn_norm = weights.vector(block + "ffn_norm.weight", config.hidden);
        layer.gate_up = weights.fused(
            {{block + "ffn_gate.weight", config.ffn}, {block + "ffn_up.weight", config.ffn}}, config.hidden,
            Arrangement::interleaved
        );
        layer.down = weights.matrix(block + "ffn_down.weight", config.ffn, config.hidden);
    }
    output_norm_ = weights.vector(prefix + "output_norm.weight", config.hidden);
    for (int i = 0; i < config.head_dim / 2; i++) {
        inverse_factors_.push_back(1.0f / rope.factors[i]);
        inverse_frequencies_.push_back(
            1.0f / std::pow(rope.theta, static_cast<float>(2 * i) / static_cast<float>(config.head_dim))
        );
    }
}

const StackWeights & CpuStack::view() const {
    if (layer_views_.empty()) {
        for (const Layer & layer : layers_) {
            layer_views_.push_back(
                {layer.qkv.packed->view, layer.o.packed->view, layer.gate_up.packed->view, layer.down.packed->view,
                 static_cast<const float *>(layer.attention_norm->data),
                 static_cast<const float *>(layer.ffn_norm->data)}
            );
        }
        view_ = {
            layer_views_.data(),
            config_.layers,
            config_.hidden,
            config_.ffn,
            config_.heads,
            config_.kv_heads,
            config_.head_dim,
            config_.eps,
            config_.residual_scale,
            static_cast<const float *>(output_norm_->data),
            config_.rope
        };
    }
    return view_;
}

void CpuStack::rotation(int position, float * values) const {
    const int half = config_.head_dim / 2;
    for (int i = 0; i < half; i++) {
        // in float32, like the tables of the official code
        const float angle = static_cast<float>(position) * inverse_factors_[i] * inverse_frequencies_[i];
        values[i] = static_cast<float>(std::cos(static_cast<double>(angle))) * rope_scale_;
        values[half + i] = static_cast<float>(std::sin(static_cast<double>(angle))) * rope_scale_;
    }
}

CpuScratch::CpuScratch(const StackWeights & w, int64_t columns, size_t attention_memory, int members) {
    const auto span = [&](std::vector<float> & memory, int64_t width) {
        // full vectors may be stored past the last column
        memory.resize(static_cast<size_t>(width) * columns + 16);
        return Span{memory.data(), static_cast<size_t>(width)};
    };
    const int64_t attended = static_cast<int64_t>(w.heads) * w.head_dim;
    view_.x = span(x_, w.hidden);
    view_.qkv = span(qkv_, attended + 2 * static_cast<int64_t>(w.kv_heads) * w.head_dim);
    view_.attended = span(attended_, attended);
    view_.ffn = span(ffn_, std::max(w.ffn, members * block_depth));
    view_.ffn.stride = w.ffn;
    const Span floats = span(floats_, w.hidden);
    const Span squares = span(squares_, (w.hidden + block_depth - 1) / block_depth);
    for (int i = 0; i < w.layer_count; i++) {
        for (const Packed * weight : {&w.layers[i].qkv, &w.layers[i].gate_up}) normed_.reserve(*weight, columns);
        for (const Packed * weight : {&w.layers[i].o, &w.layers[i].down}) inner_.reserve(*weight, columns);
    }
    refresh();
    view_.normed.floats = floats.data;
    view_.normed.stride = floats.stride;
    view_.normed.squares = squares.data;
    factors_.resize(static_cast<size_t>(columns) * members);
    view_.factors = factors_.data();
    view_.attention_stride = attention_floats(w.head_dim) + attention_memory;
    attention_.resize(view_.attention_stride * members);
    view_.attention = attention_.data();
    rotation_.resize(static_cast<size_t>(columns) * w.head_dim);
    view_.rotation = rotation_.data();
}

void CpuScratch::reserve(const Packed & weight, int64_t columns) {
    normed_.reserve(weight, columns);
    refresh();
}

void CpuScratch::adapt(Span low) {
    normed_.share();
    inner_.share();
    refresh();
    view_.low = low;
}

// Memory may have moved.
void CpuScratch::refresh() {
    const Columns floats = view_.normed;
    view_.normed = normed_.view();
    view_.normed.floats = floats.floats;
    view_.normed.stride = floats.stride;
    view_.normed.squares = floats.squares;
    view_.inner = inner_.view();
}

size_t local_attention_memory(const StackWeights & weights, int length) {
    return static_cast<size_t>((length + key_block - 1) / key_block * key_block) * weights.head_dim;
}

namespace {

struct LocalOp {
    const Compute & compute;
    CpuScratch scratch;
    LocalJob job;
    PackedUpdates updates, last_updates;
};

void compute_local(ggml_tensor * out, int, int, void * data) {
    auto & op = *static_cast<LocalOp *>(data);
    const ggml_tensor * x = out->src[0];
    std::memcpy(op.scratch.view().x.data, x->data, ggml_nbytes(x));
    op.job.out = {static_cast<float *>(out->data), static_cast<size_t>(out->ne[0])};
    Team & team = op.compute.team();
    const KernelSet & kernels = *op.compute.kernels();
    const auto body = [&](Member & member) { kernels.local_stack(op.job, member); };
    const StageClock::Lap lap(op.compute.clock(), Stage::local_encoder);
    team.run(body);
}

struct CachedOp {
    const Compute & compute;
    const CpuStack & stack;
    CpuScratch scratch;
    CachedJob job;
    std::vector<CachedColumn> columns;
    std::vector<int> wanted;
    std::vector<ColumnGroup> groups, wanted_groups;
    std::vector<const KvLayer *> caches;
    std::vector<float *> keys, values, layer_outputs;
    std::vector<Watch> watches;
    PackedUpdates updates, last_updates;
};

void compute_cached(ggml_tensor * out, int, int, void * data) {
    auto & op = *static_cast<CachedOp *>(data);
    const ggml_tensor * x = out->src[0];
    const auto * positions = static_cast<const int32_t *>(out->src[1]->data);
    const int layers = op.job.weights->layer_count;
    const size_t values = static_cast<size_t>(x->ne[0]) * x->ne[1];
    std::memcpy(op.scratch.view().x.data, x->data, values * sizeof(float));
    for (size_t c = 0; c < op.columns.size(); c++) {
        op.columns[c].position = positions[c];
        op.stack.rotation(positions[c], op.scratch.rotation() + c * op.stack.head_dim());
    }
    for (int layer = 0; layer < layers; layer++) {
        for (size_t segment = 0; segment < op.caches.size(); segment++) {
            op.keys[layer * op.caches.size() + segment] = static_cast<float *>(op.caches[segment][layer].k->data);
            op.values[layer * op.caches.size() + segment] = static_cast<float *>(op.caches[segment][layer].v->data);
        }
    }
    op.job.out.data = static_cast<float *>(out->data);
    for (size_t layer = 0; layer < op.layer_outputs.size(); layer++)
        op.layer_outputs[layer] = static_cast<float *>(out->data) + (layer + 1) * values;
    Team & team = op.compute.team();
    const KernelSet & kernels = *op.compute.kernels();
    const auto body = [&](Member & member) { kernels.cached_stack(op.job, member); };
    const StageClock::Lap lap(op.compute.clock(), Stage::language_models);
    team.run(body);
}

// Neighbors of the same segment among the columns at these places.
std::vector<ColumnGroup> group_columns(const std::vector<CachedColumn> & columns, const std::vector<int> & places) {
    std::vector<ColumnGroup> groups;
    for (int i = 0; i < static_cast<int>(places.size()); i++) {
        const bool begins = i == 0 || groups.back().count == most_grouped_columns ||
            columns[places[i]].segment != columns[places[i - 1]].segment;
        if (begins) groups.push_back({i, 1});
        else groups.back().count++;
    }
    return groups;
}

} // namespace

ggml_tensor * cpu_local_stack(
    Graph & graph, const CpuStack & stack, ggml_tensor * x, int first, int count, const AdapterRuns & adapters
) {
    const StackWeights & weights = stack.view();
    const int length = static_cast<int>(x->ne[1]), sequences = static_cast<int>(x->ne[2]);
    const int64_t columns = static_cast<int64_t>(length) * sequences;
    LocalOp * op = graph.keep(
        std::make_unique<LocalOp>(LocalOp{
            graph.compute(),
            CpuScratch(weights, columns, local_attention_memory(weights, length), graph.compute().team().size()),
            {},
            PackedUpdates(stack.prefix(), adapters.widened(length), columns),
            PackedUpdates(stack.prefix(), adapters.widened(count), 0)
        })
    );
    op->job = {&weights,           &op->scratch.view(),    length, sequences, first, count, {},
               op->updates.view(), op->last_updates.view()};
    if (op->updates.view().count > 0) op->scratch.adapt(op->updates.low());
    for (int position = 0; position < length; position++)
        stack.rotation(position, op->scratch.rotation() + static_cast<size_t>(position) * stack.head_dim());
    ggml_tensor * sources[] = {x};
    return ggml_custom_4d(
        graph.context(), GGML_TYPE_F32, weights.hidden, count, sequences, 1, sources, 1, compute_local, 1, op
    );
}

ggml_tensor * cpu_cached_stack(
    Graph & graph, const CpuStack & stack, ggml_tensor * x, ggml_tensor * positions,
    const std::vector<CachedSegment> & segments, const std::optional<std::vector<int>> & wanted
) {
    ggml_context * c = graph.context();
    const StackWeights & weights = stack.view();
    const int columns = static_cast<int>(x->ne[1]);
    size_t watched = 0; // weights of a query
    int longest = 1;
    AdapterRuns adapters, last_adapters;
    for (const CachedSegment & segment : segments) {
        longest = std::max(longest, segment.kv_length);
        if (segment.text) watched = std::max(watched, static_cast<size_t>(segment.text->cells.count) + 2 * key_block);
        adapters.add(segment.adapter, segment.columns);
        const auto looks = [&](int column) {
            return column >= segment.first_column && column < segment.first_column + segment.columns;
        };
        last_adapters.add(
            segment.adapter,
            wanted ? static_cast<int>(std::count_if(wanted->begin(), wanted->end(), looks)) : segment.columns
        );
    }
    auto * op = graph.keep(
        std::make_unique<CachedOp>(CachedOp{
            graph.compute(),
            stack,
            CpuScratch(weights, columns, watched, graph.compute().team().size()),
            {},
            {},
            {},
            {},
            {},
            {},
            {},
            {},
            {},
            {},
            PackedUpdates(stack.prefix(), adapters, columns),
            PackedUpdates(stack.prefix(), last_adapters, 0)
        })
    );
    for (size_t i = 0; i < segments.size(); i++) {
        for (int column = 0; column < segments[i].columns; column++) op->columns.push_back({static_cast<int>(i), 0});
        op->caches.push_back(segments[i].layers);
        Watch & watch =
            op->watches.emplace_back(Watch{segments[i].first_column + segments[i].columns - 1, 0, 0, nullptr});
        if (TextAttention * text = segments[i].text) {
            text->peaks.resize(static_cast<size_t>(weights.layer_count) * weights.heads);
            watch = {watch.column, text->cells.first, text->cells.count, text->peaks.data()};
        }
    }
    op->keys.resize(weights.layer_count * segments.size());
    op->values.resize(weights.layer_count * segments.size());
    if (wanted) {
        op->wanted = *wanted;
    } else {
        op->wanted.resize(columns);
        std::iota(op->wanted.begin(), op->wanted.end(), 0);
    }
    std::vector<int> every(columns);
    std::iota(every.begin(), every.end(), 0);
    op->groups = group_columns(op->columns, every);
    op->wanted_groups = group_columns(op->columns, op->wanted);
    const int count = static_cast<int>(op->wanted.size());
    const int64_t kept = graph.taps_on() && count == columns ? weights.layer_count : 0;
    op->layer_outputs.resize(kept);
    op->job = {
        &weights,
        &op->scratch.view(),
        columns,
        op->columns.data(),
        longest,
        op->keys.data(),
        op->values.data(),
        static_cast<int>(segments.size()),
        op->wanted.data(),
        count,
        {nullptr, static_cast<size_t>(weights.hidden)},
        op->groups.data(),
        op->wanted_groups.data(),
        static_cast<int>(op->groups.size()),
        static_cast<int>(op->wanted_groups.size()),
        op->watches.data(),
        kept > 0 ? op->layer_outputs.data() : nullptr,
        op->updates.view(),
        op->last_updates.view()
    };
    if (op->updates.view().count > 0) op->scratch.adapt(op->updates.low());
    ggml_tensor * sources[] = {x, positions};
    // a node cannot be empty
    ggml_tensor * all = ggml_custom_4d(
        c, GGML_TYPE_F32, weights.hidden, std::max(count, 1), 1 + kept, 1, sources, 2, compute_cached, 1, op
    );
    for (int64_t layer = 0; layer < kept; layer++) {
        graph.tap(
            "layer" + std::to_string(layer) + ".out",
            ggml_view_2d(c, all, weights.hidden, columns, all->nb[1], (layer + 1) * all->nb[2])
        );
    }
    return kept > 0 ? ggml_view_2d(c, all, weights.hidden, columns, all->nb[1], 0)
                    : ggml_reshape_2d(c, all, weights.hidden, all->ne[1]);
}

} // namespace svc
