#include "ggml-executor/cpu/cpu_stack.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "ggml-executor/stages/transformer.h"

namespace svc {

CpuScratch::CpuScratch(const StackWeights & w, int64_t columns, int members)
    : own_attention_(attention_floats(w.head_dim)), members_(members) {
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
    for (int i = 0; i < w.layers; i++) {
        for (const Packed * weight : {&w.layer[i].qkv, &w.layer[i].gate_up}) normed_.reserve(*weight, columns);
        for (const Packed * weight : {&w.layer[i].o, &w.layer[i].down}) inner_.reserve(*weight, columns);
    }
    refresh();
    view_.normed.floats = floats.data;
    view_.normed.stride = floats.stride;
    view_.normed.squares = squares.data;
    factors_.resize(static_cast<size_t>(columns) * members);
    view_.factors = factors_.data();
    reserve_attention(0);
    rotation_.resize(static_cast<size_t>(columns) * w.head_dim);
    view_.rotation = rotation_.data();
}

void CpuScratch::reserve(const Packed & weight, int64_t columns) {
    normed_.reserve(weight, columns);
    if (view_.low.data) normed_.share();
    refresh();
}

void CpuScratch::reserve_attention(size_t floats) {
    if (own_attention_ + floats <= view_.attention_stride) return;
    view_.attention_stride = own_attention_ + floats;
    attention_.resize(view_.attention_stride * members_);
    view_.attention = attention_.data();
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

namespace {

// Neighbors of the same sequence among the columns at these places.
std::vector<ColumnGroup> group_columns(const std::vector<StackColumn> & columns, const std::vector<int> & places) {
    std::vector<ColumnGroup> groups;
    for (int i = 0; i < static_cast<int>(places.size()); i++) {
        const bool begins = i == 0 || groups.back().count == most_grouped_columns ||
            columns[places[i]].sequence != columns[places[i - 1]].sequence;
        if (begins) groups.push_back({i, 1});
        else groups.back().count++;
    }
    return groups;
}

std::vector<int> count_to(size_t count) {
    std::vector<int> values(count);
    std::iota(values.begin(), values.end(), 0);
    return values;
}

} // namespace

StackRun::StackRun(const Compute & compute, const Layers & layers, int64_t most_columns)
    : scratch(layers.packed(), most_columns, compute.team().size()), layers_(layers) {
    job.weights = &layers.packed();
    job.scratch = &scratch.view();
}

void StackRun::set(std::vector<StackColumn> columns, std::vector<int> wanted) {
    columns_ = std::move(columns);
    wanted_ = std::move(wanted);
    groups_ = group_columns(columns_, count_to(columns_.size()));
    wanted_groups_ = group_columns(columns_, wanted_);
    const size_t sequences = columns_.back().sequence + 1, layer_count = layers_.all().size();
    keys_.assign(layer_count * sequences, nullptr);
    values_.assign(layer_count * sequences, nullptr);
    peak_ranges_.assign(sequences, {});
    job.columns = static_cast<int>(columns_.size());
    job.column = columns_.data();
    job.keys = keys_.data();
    job.values = values_.data();
    job.sequences = static_cast<int>(sequences);
    job.wanted = wanted_.data();
    job.wanted_count = static_cast<int>(wanted_.size());
    job.groups = groups_.data();
    job.wanted_groups = wanted_groups_.data();
    job.group_count = static_cast<int>(groups_.size());
    job.wanted_group_count = static_cast<int>(wanted_groups_.size());
    job.peak_ranges = peak_ranges_.data();
}

void StackRun::adapt(const AdapterRuns & sequences) { adapt_columns(sequences.widened(local_length_)); }

void StackRun::adapt_columns(const AdapterRuns & columns) {
    if (columns.runs().empty() && job.adapted.count == 0) return;
    updates_ = PackedUpdates(layers_.prefix(), columns, job.columns);
    wanted_updates_ = PackedUpdates(layers_.prefix(), columns.selected(wanted_), 0);
    if (updates_.view().count > 0) scratch.adapt(updates_.low());
    job.adapted = updates_.view();
    job.last_adapted = wanted_updates_.view();
}

std::unique_ptr<StackRun> StackRun::local(
    const Compute & compute, const Layers & layers, int length, int sequences, int first, int count
) {
    const TransformerConfig & config = layers.config();
    std::vector<StackColumn> columns;
    std::vector<int> wanted;
    for (int sequence = 0; sequence < sequences; sequence++) {
        for (int i = 0; i < count; i++) wanted.push_back(sequence * length + first + i);
        for (int i = 0; i < length; i++) columns.push_back({.sequence = sequence, .position = i, .seen = length});
    }
    auto run = std::make_unique<StackRun>(compute, layers, static_cast<int64_t>(columns.size()));
    run->local_length_ = length;
    run->set(std::move(columns), std::move(wanted));
    run->job.longest = length;
    // the layers share this memory
    const size_t width = static_cast<size_t>(config.kv_heads) * config.head_dim,
                 keys = (length + key_block - 1) / key_block * key_block * width, values = length * width;
    run->memory_.resize((keys + values) * sequences);
    for (int sequence = 0; sequence < sequences; sequence++) {
        float * memory = run->memory_.data() + (keys + values) * sequence;
        for (int layer = 0; layer < config.layers; layer++) run->keep(layer, sequence, memory, memory + keys);
    }
    const size_t angles = config.head_dim;
    float * rotation = run->scratch.rotation();
    for (int position = 0; position < length; position++) layers.rotation(position, rotation + position * angles);
    for (int sequence = 1; sequence < sequences; sequence++)
        std::copy_n(rotation, length * angles, rotation + sequence * length * angles);
    return run;
}

void StackRun::set(const CachedPass & pass, const int32_t * positions) {
    std::vector<StackColumn> columns;
    for (size_t i = 0; i < pass.segments.size(); i++)
        columns.resize(columns.size() + pass.segments[i].columns, {.sequence = static_cast<int>(i)});
    std::vector<int> wanted = pass.wanted ? *pass.wanted : count_to(columns.size());
    set(std::move(columns), std::move(wanted));
    place(positions);
    adapt_columns(pass.runs);
    job.longest = 1;
    for (size_t i = 0; i < pass.segments.size(); i++) {
        const CachedSegment & segment = pass.segments[i];
        job.longest = std::max(job.longest, segment.kv_length);
        for (int layer = 0; layer < layers_.config().layers; layer++) {
            const KvLayer & cache = segment.layers[layer];
            keep(layer, static_cast<int>(i), static_cast<float *>(cache.k->data), static_cast<float *>(cache.v->data));
        }
    }
    report_peaks(pass);
}

void StackRun::report_peaks(const CachedPass & pass) {
    const TransformerConfig & config = layers_.config();
    for (size_t i = 0; i < pass.segments.size(); i++) {
        const CachedSegment & segment = pass.segments[i];
        if (!segment.text) continue;
        const TextCells & cells = segment.text->cells;
        segment.text->peaks.resize(static_cast<size_t>(config.layers) * config.heads);
        scratch.reserve_attention(static_cast<size_t>(cells.count) + 2 * key_block);
        peak_ranges_[i] = {
            segment.first_column + segment.columns - 1, cells.first, cells.count, segment.text->peaks.data()
        };
    }
}

void StackRun::place(const int32_t * positions) {
    for (size_t c = 0; c < columns_.size(); c++) {
        columns_[c].position = positions[c];
        columns_[c].seen = positions[c] + 1;
        layers_.rotation(positions[c], scratch.rotation() + c * layers_.config().head_dim);
    }
}

void StackRun::keep(int layer, int sequence, float * keys, float * values) {
    keys_[layer * job.sequences + sequence] = keys;
    values_[layer * job.sequences + sequence] = values;
}

namespace {

struct StackOp {
    const Compute & compute;
    Stage stage;
    std::unique_ptr<StackRun> run;
    const AdapterRuns * sequences = nullptr; // of a local stack
    const CachedPass * pass = nullptr;       // or of one with caches
    std::vector<float *> layer_outputs = {};
};

// sources: x, and the positions of columns that see what is before them
void compute_stack(ggml_tensor * out, int, int, void * data) {
    auto & op = *static_cast<StackOp *>(data);
    const ggml_tensor *x = out->src[0], *positions = out->src[1];
    auto * values = static_cast<float *>(out->data);
    StackJob & job = op.run->job;
    if (op.pass) op.run->set(*op.pass, static_cast<const int32_t *>(positions->data));
    if (op.sequences) op.run->adapt(*op.sequences);
    std::memcpy(job.scratch->x.data, x->data, x->ne[0] * sizeof(float) * job.columns);
    job.out = {values, static_cast<size_t>(out->ne[0])};
    for (float *& layer : op.layer_outputs) layer = values += ggml_nelements(x);
    Team & team = op.compute.team();
    const KernelSet & kernels = *op.compute.kernels();
    const auto body = [&](Member & member) { kernels.stack(job, member); };
    const StageClock::Lap lap(op.compute.clock(), op.stage);
    team.run(body);
}

} // namespace

ggml_tensor * cpu_local_stack(
    Graph & graph, const Layers & layers, ggml_tensor * x, int first, int count, const AdapterRuns * runs
) {
    const int length = static_cast<int>(x->ne[1]), sequences = static_cast<int>(x->ne[2]);
    auto * op = graph.keep(
        std::make_unique<StackOp>(StackOp{
            .compute = graph.compute(),
            .stage = Stage::local_encoder,
            .run = StackRun::local(graph.compute(), layers, length, sequences, first, count),
            .sequences = runs,
        })
    );
    return ggml_custom_4d(graph.context(), GGML_TYPE_F32, x->ne[0], count, sequences, 1, &x, 1, compute_stack, 1, op);
}

ggml_tensor * cpu_cached_stack(
    Graph & graph, const Layers & layers, ggml_tensor * x, ggml_tensor * positions, const CachedPass & pass
) {
    ggml_context * c = graph.context();
    const int64_t hidden = x->ne[0], columns = x->ne[1],
                  count = pass.wanted ? static_cast<int64_t>(pass.wanted->size()) : columns;
    const int64_t kept = graph.taps_on() && count == columns ? layers.config().layers : 0;
    auto * op = graph.keep(
        std::make_unique<StackOp>(StackOp{
            .compute = graph.compute(),
            .stage = Stage::language_models,
            .run = std::make_unique<StackRun>(graph.compute(), layers, columns),
            .pass = &pass,
        })
    );
    op->layer_outputs.resize(kept);
    if (kept > 0) op->run->job.layer_outputs = op->layer_outputs.data();
    ggml_tensor * sources[] = {x, positions};
    // a node cannot be empty
    ggml_tensor * all = ggml_custom_4d(
        c, GGML_TYPE_F32, hidden, std::max<int64_t>(count, 1), 1 + kept, 1, sources, 2, compute_stack, 1, op
    );
    for (int64_t layer = 0; layer < kept; layer++) {
        graph.tap(
            "layer" + std::to_string(layer) + ".out",
            ggml_view_2d(c, all, hidden, columns, all->nb[1], (layer + 1) * all->nb[2])
        );
    }
    return ggml_view_2d(c, all, hidden, all->ne[1], all->nb[1], 0);
}

} // namespace svc
