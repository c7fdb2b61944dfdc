#include "ggml-executor/step_graph.h"

#include <algorithm>
#include <numeric>

#include "cpu-kernels/peak.h"
#include "ggml-executor/stages/attention_mask.h"
#include "ggml-executor/stages/columns.h"

namespace svc {
namespace {

// Cache cells that a graph of ggml's operations reads are rounded up to this, so that it is rebuilt once per bucket and not
// on every step.
constexpr int cells_bucket = 128;
// Kept positions that a graph on our kernels has room for: most prefixes keep few, and none more than most_kept.
constexpr int few_kept = 32;

GgmlSessionMemory & memory_of(const StepJob & job) { return static_cast<GgmlSessionMemory &>(job.memory); }

int kv_length_of(const StepJob & job) {
    const int used = job.rows + job.columns();
    return std::min((used + cells_bucket - 1) / cells_bucket * cells_bucket, job.memory.capacity());
}

size_t max_nodes(const Network & network, const StepGraph::Key & key) {
    const Config & config = network.config;
    const size_t count = key.sessions, timesteps = key.timesteps;
    // two runs of columns per adapter in flow matching, where both branches are computed
    const size_t layers = config.base_lm.layers + config.residual_lm.layers + 2 * timesteps * config.local_dit.layers;
    const size_t updates = key.adapters.size() * update_nodes * (4 * layers + 4);
    const size_t cached = static_cast<size_t>(config.base_lm.layers + config.residual_lm.layers) * (40 + 26 * count);
    const size_t flow = timesteps * (static_cast<size_t>(config.local_dit.layers) * 48 + 64);
    return cached + flow + static_cast<size_t>(config.local_encoder.layers) * 48 + 64 * count + 512 + updates;
}

std::vector<float> slice(const std::vector<float> & values, size_t index, size_t count) {
    return std::vector<float>(values.begin() + index * count, values.begin() + (index + 1) * count);
}

} // namespace

StepBatch StepGraph::sorted(std::span<const StepJob> jobs) {
    StepBatch batch;
    for (const StepJob & job : jobs) batch.push_back(&job);
    std::stable_sort(batch.begin(), batch.end(), [](const StepJob * a, const StepJob * b) {
        return std::pair(a->kept.size(), kv_length_of(*a)) < std::pair(b->kept.size(), kv_length_of(*b));
    });
    return batch;
}

StepGraph::Key StepGraph::key_of(const Compute & compute, const StepBatch & batch, int timesteps) {
    Key key{.sessions = static_cast<int>(batch.size()), .patches = 0, .columns = 0, .timesteps = timesteps};
    AdapterRuns runs;
    for (const StepJob * job : batch) {
        key.patches += job->kept.empty() ? 1 : 0;
        key.columns += job->columns();
        runs.add(job->adapter, 1);
        if (compute.kernels()) continue;
        key.kept.push_back(static_cast<int>(job->kept.size()));
        key.kv_lengths.push_back(kv_length_of(*job));
        key.texts.insert(key.texts.end(), {job->text.first, job->text.count});
        if (!compute.rebinds()) key.memories.push_back(memory_of(*job).number);
    }
    if (!compute.kernels()) {
        key.adapters = runs.runs();
    } else if (key.patches < key.sessions) {
        const int kept = key.columns - key.patches;
        key.columns = key.patches + (kept <= few_kept ? few_kept : (kept + most_kept - 1) / most_kept * most_kept);
    }
    return key;
}

StepGraph::StepGraph(
    const Network & network, const Compute & compute, const FlowMatching::Constants & constants, Key key,
    const StepBatch & batch
)
    : network_(network), compute_(compute), key_(std::move(key)), graph_(compute, max_nodes(network, key_)) {
    describe(batch);
    if (!compute.kernels()) add_caches(batch);
    build(constants);
    if (!compute.kernels()) bind_caches(batch);
    graph_.allocate();
}

void StepGraph::describe(const StepBatch & batch) {
    sessions_ = patches_runs_ = {};
    base_ = residual_ = {};
    last_.clear();
    texts_.resize(batch.size());
    for (size_t i = 0; i < batch.size(); i++) {
        const StepJob & job = *batch[i];
        const KvCache & cache = memory_of(job).cache;
        CachedSegment segment{
            .layers = cache.base_lm(),
            .first_column = base_.runs.columns(),
            .columns = job.columns(),
            .kv_length = kv_length_of(job),
        };
        texts_[i].cells = job.text;
        if (job.text.count > 0) segment.text = &texts_[i];
        base_.segments.push_back(segment);
        segment.layers = cache.residual_lm();
        segment.text = nullptr;
        residual_.segments.push_back(segment);
        sessions_.add(job.adapter, 1);
        if (job.kept.empty()) patches_runs_.add(job.adapter, 1);
        base_.runs.add(job.adapter, job.columns());
        last_.push_back(base_.runs.columns() - 1);
    }
    residual_.runs = base_.runs;
    residual_.wanted = last_;
}

void StepGraph::add_caches(const StepBatch & batch) {
    const size_t base_layers = network_.config.base_lm.layers,
                 layers = base_layers + network_.config.residual_lm.layers;
    for (size_t i = 0; i < batch.size(); i++) {
        const KvLayer & first = *memory_of(*batch[i]).cache.base_lm();
        const int length = key_.kv_lengths[i];
        const auto slot = [&] { return graph_.slot(first.k->type, first.k->ne[0], length); };
        std::vector<KvLayer> & slots = slots_.emplace_back();
        for (size_t layer = 0; layer < layers; layer++) slots.push_back({slot(), slot()});
        rows_.push_back(graph_.input(GGML_TYPE_I64, batch[i]->columns()));
        masks_.push_back(graph_.input(GGML_TYPE_F16, length, batch[i]->columns()));
    }
    for (size_t i = 0; i < batch.size(); i++) {
        for (CachedPass * pass : {&base_, &residual_}) {
            CachedSegment & segment = pass->segments[i];
            segment.layers = slots_[i].data() + (pass == &base_ ? 0 : base_layers);
            segment.rows = rows_[i];
            segment.mask = masks_[i];
        }
    }
}

void StepGraph::bind_caches(const StepBatch & batch) {
    for (size_t i = 0; i < batch.size(); i++) {
        const KvLayer * layers = memory_of(*batch[i]).cache.base_lm();
        for (size_t layer = 0; layer < slots_[i].size(); layer++) {
            graph_.bind(slots_[i][layer].k, layers[layer].k);
            graph_.bind(slots_[i][layer].v, layers[layer].v);
        }
    }
}

void StepGraph::build(const FlowMatching::Constants & constants) {
    const Config & config = network_.config;
    ggml_context * c = graph_.context();
    const int64_t n = key_.sessions;
    positions_ = graph_.input(GGML_TYPE_I32, key_.columns);
    audio_ = graph_.input(GGML_TYPE_F32, 1, key_.columns);
    cfg_ = graph_.input(GGML_TYPE_F32, 1, n);
    noise_ = graph_.input(GGML_TYPE_F32, config.feature_dim, config.patch_size, n);
    previous_ = graph_.input(GGML_TYPE_F32, config.feature_dim, config.patch_size, n);
    dit_positions_ = graph_.input(GGML_TYPE_I32, network_.local_dit.length());

    ggml_tensor * x = embed(previous_);
    ggml_tensor * hidden = network_.quantize_audio(
        graph_, network_.base_lm.build_cached(graph_, x, positions_, base_), audio_, &base_.runs
    );
    ggml_tensor * fused = network_.fuse(graph_, hidden, ggml_mul(c, x, audio_), &base_.runs);
    if (key_.columns > n) {
        last_columns_ = graph_.input(GGML_TYPE_I32, n);
        hidden = ggml_get_rows(c, hidden, last_columns_);
    }
    lm_hidden_ = graph_.output(hidden);
    residual_hidden_ = graph_.output(network_.residual_lm.build_cached(graph_, fused, positions_, residual_));
    stop_logits_ = graph_.output(network_.stop_head.build(graph_, lm_hidden_));
    ggml_tensor * mu = network_.condition(graph_, lm_hidden_, residual_hidden_, &sessions_);
    patches_ =
        graph_.output(network_.flow.build(graph_, constants, noise_, mu, previous_, cfg_, dit_positions_, &sessions_));
}

ggml_tensor * StepGraph::embed(ggml_tensor * previous) {
    const Config & config = network_.config;
    ggml_context * c = graph_.context();
    ggml_tensor * x = nullptr;
    if (key_.patches > 0) {
        encoder_positions_ = graph_.input(GGML_TYPE_I32, 1 + config.patch_size);
        ggml_tensor * patches = ggml_view_3d(
            c, previous, config.feature_dim, config.patch_size, key_.patches, previous->nb[1], previous->nb[2], 0
        );
        x = network_.embed_patches(graph_, patches, encoder_positions_, &patches_runs_);
    }
    if (key_.columns == key_.patches) return x;
    kept_ = graph_.input(GGML_TYPE_F32, config.base_lm.hidden, key_.columns - key_.patches);
    return join(c, x, kept_, 1);
}

void StepGraph::set_inputs(const StepBatch & batch) {
    const Config & config = network_.config;
    const size_t n = batch.size(), values = config.patch_values();
    std::vector<int32_t> positions;
    std::vector<float> audio, cfg, noise, previous, kept;
    for (size_t i = 0; i < n; i++) {
        const StepJob & job = *batch[i];
        const GgmlSessionMemory & memory = memory_of(job);
        const int count = job.columns();
        std::vector<int64_t> rows(count);
        std::iota(rows.begin(), rows.end(), job.rows);
        positions.insert(positions.end(), rows.begin(), rows.end());
        if (job.kept.empty()) audio.push_back(1.0f);
        audio.insert(audio.end(), job.kept.begin(), job.kept.end());
        if (!job.kept.empty()) kept.insert(kept.end(), memory.kept.begin(), memory.kept.end());
        cfg.push_back(job.cfg);
        noise.insert(noise.end(), job.noise, job.noise + values);
        previous.insert(previous.end(), memory.patch.begin(), memory.patch.end());
        if (rows_.empty()) continue;
        graph_.set(rows_[i], rows);
        graph_.set(masks_[i], causal_mask(key_.kv_lengths[i], job.rows, count));
    }
    positions.resize(key_.columns);
    audio.resize(key_.columns);
    graph_.set(positions_, positions);
    graph_.set(audio_, audio);
    graph_.set(cfg_, cfg);
    graph_.set(noise_, noise);
    graph_.set(previous_, previous);
    // on every run: the allocator may reuse the memory of an input after it was read
    graph_.set(dit_positions_, network_.flow.positions());
    if (encoder_positions_) graph_.set(encoder_positions_, network_.local_encoder.positions());
    if (last_columns_) graph_.set(last_columns_, std::vector<int32_t>(last_.begin(), last_.end()));
    if (!kept_) return;
    kept.resize(static_cast<size_t>(key_.columns - key_.patches) * config.base_lm.hidden);
    graph_.set(kept_, kept);
}

std::vector<float> StepGraph::peaks(const TextAttention & text) const {
    if (text.cells.count == 0) return {};
    if (text.weights.empty()) return text.peaks;
    std::vector<float> found;
    for (const ggml_tensor * weights : text.weights) {
        const std::vector<float> values = graph_.get(weights);
        for (size_t head = 0; head < values.size(); head += text.cells.count)
            found.push_back(peak_of(values.data() + head, text.cells.count));
    }
    return found;
}

void StepGraph::run(const StepBatch & batch, Trace trace) {
    if (compute_.kernels()) describe(batch);
    else bind_caches(batch);
    set_inputs(batch);
    graph_.run();

    const size_t values = network_.config.patch_values(), hidden = network_.config.base_lm.hidden;
    const bool traces = trace == Trace::hidden_states;
    const std::vector<float> patches = graph_.get(patches_), logits = graph_.get(stop_logits_),
                             lm = traces ? graph_.get(lm_hidden_) : std::vector<float>(),
                             residual = traces ? graph_.get(residual_hidden_) : std::vector<float>();
    for (size_t i = 0; i < batch.size(); i++) {
        StepResult & result = batch[i]->result;
        GgmlSessionMemory & memory = memory_of(*batch[i]);
        result.patch = slice(patches, i, values);
        result.stop_logits = slice(logits, i, 2);
        if (traces) result.lm_hidden = slice(lm, i, hidden);
        if (traces) result.residual_hidden = slice(residual, i, hidden);
        result.attention = peaks(texts_[i]);
        memory.patch = result.patch;
        memory.kept = {};
    }
}

} // namespace svc
