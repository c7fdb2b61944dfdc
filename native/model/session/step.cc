#include "model/session/step.h"

#include <algorithm>
#include <numeric>

#include "cpu-kernels/peak.h"
#include "ggml-executor/stages/attention_mask.h"
#include "ggml-executor/stages/columns.h"

namespace svc {
namespace {

constexpr int bucket = 128;

size_t max_nodes(const Network & network, const std::vector<Session *> & sessions, int timesteps) {
    const Config & config = network.config;
    const size_t count = sessions.size();
    // two runs of columns per adapter in flow matching, where both branches are computed
    const size_t adapted = std::count_if(sessions.begin(), sessions.end(), [](const Session * session) {
        return session->adapter.adapter != nullptr;
    });
    const size_t layers = config.base_lm.layers + config.residual_lm.layers +
        2 * static_cast<size_t>(timesteps) * config.local_dit.layers;
    const size_t updates = adapted * update_nodes * (4 * layers + 4);
    const size_t cached = static_cast<size_t>(config.base_lm.layers + config.residual_lm.layers) * (40 + 26 * count);
    const size_t flow = static_cast<size_t>(timesteps) * (static_cast<size_t>(config.local_dit.layers) * 48 + 64);
    return cached + flow + static_cast<size_t>(config.local_encoder.layers) * 48 + 64 * count + 512 + updates;
}

std::vector<float> slice(const std::vector<float> & values, size_t index, size_t count) {
    return std::vector<float>(values.begin() + index * count, values.begin() + (index + 1) * count);
}

} // namespace

int kv_bucket(int used) { return (used + bucket - 1) / bucket * bucket; }

StepGraph::StepGraph(
    const Network & network, const Compute & compute, const FlowMatching::Constants & constants, Key key,
    const std::vector<Session *> & sessions
)
    : network_(network), key_(std::move(key)), graph_(compute, max_nodes(network, sessions, key_.timesteps)) {
    const Config & config = network.config;
    ggml_context * c = graph_.context();
    const int64_t n = static_cast<int64_t>(sessions.size());
    std::vector<int> last; // last column of each session
    for (const Session * session : sessions) last.push_back((last.empty() ? -1 : last.back()) + session->columns());
    const int64_t columns = last.back() + 1;
    positions_ = graph_.input(GGML_TYPE_I32, columns);
    audio_ = graph_.input(GGML_TYPE_F32, 1, columns);
    cfg_ = graph_.input(GGML_TYPE_F32, 1, n);
    noise_ = graph_.input(GGML_TYPE_F32, config.feature_dim, config.patch_size, n);
    dit_positions_ = graph_.input(GGML_TYPE_I32, network.local_dit.length());

    ggml_tensor * x = embed(sessions);
    ggml_tensor * cond = nullptr;
    std::vector<CachedSegment> base, residual;
    AdapterRuns adapters, column_adapters; // of the sessions, and of their columns
    for (const Session * session : sessions) texts_.push_back({.cells = session->text});
    for (size_t i = 0; i < sessions.size(); i++) {
        cond = join(c, cond, patch_of(sessions[i]), 2);
        const int count = sessions[i]->columns();
        rows_.push_back(graph_.input(GGML_TYPE_I64, count));
        masks_.push_back(graph_.input(GGML_TYPE_F16, key_.kv_lengths[i], count));
        base.push_back({
            .layers = sessions[i]->cache.base_lm(),
            .first_column = last[i] + 1 - count,
            .columns = count,
            .kv_length = key_.kv_lengths[i],
            .rows = rows_[i],
            .mask = masks_[i],
            .adapter = sessions[i]->adapter,
        });
        adapters.add(sessions[i]->adapter, 1);
        column_adapters.add(sessions[i]->adapter, count);
        residual.push_back(base.back());
        residual.back().layers = sessions[i]->cache.residual_lm();
        if (texts_[i].cells.count > 0) base.back().text = &texts_[i];
    }
    ggml_tensor * hidden =
        network.quantize_audio(graph_, network.base_lm.build_cached(graph_, x, positions_, base), audio_);
    ggml_tensor * fused = network.fuse(graph_, hidden, ggml_mul(c, x, audio_), column_adapters);
    lm_hidden_ = graph_.output(select_columns(c, hidden, last));
    residual_hidden_ = graph_.output(network.residual_lm.build_cached(graph_, fused, positions_, residual, last));
    stop_logits_ = graph_.output(network.stop_head.build(graph_, lm_hidden_));
    ggml_tensor * mu = network.condition(graph_, lm_hidden_, residual_hidden_, adapters);
    patches_ = graph_.output(network.flow.build(graph_, constants, noise_, mu, cond, cfg_, dit_positions_, adapters));
    for (size_t i = 0; i < sessions.size(); i++) {
        graph_.expand(ggml_cpy(
            c, ggml_view_2d(c, patches_, config.feature_dim, config.patch_size, patches_->nb[1], i * patches_->nb[2]),
            sessions[i]->patch
        ));
    }
    graph_.allocate();
}

// Input of the base LM from all sessions: [hidden, columns].
ggml_tensor * StepGraph::embed(const std::vector<Session *> & sessions) {
    const Config & config = network_.config;
    ggml_context * c = graph_.context();
    const int64_t width = config.base_lm.hidden;
    ggml_tensor * patches = nullptr;
    AdapterRuns adapters;
    for (const Session * session : sessions) {
        if (!session->pending.empty()) continue;
        patches = join(c, patches, patch_of(session), 2);
        adapters.add(session->adapter, 1);
    }
    ggml_tensor * embedded = nullptr;
    if (patches) {
        encoder_positions_ = graph_.input(GGML_TYPE_I32, 1 + config.patch_size);
        embedded = network_.embed_patches(graph_, patches, encoder_positions_, adapters);
        if (embedded->ne[1] == static_cast<int64_t>(sessions.size())) return embedded;
    }
    ggml_tensor * x = nullptr;
    int64_t next = 0;
    for (const Session * session : sessions) {
        const bool patch = session->pending.empty();
        x = join(
            c, x,
            patch ? ggml_view_2d(c, embedded, width, 1, embedded->nb[1], next++ * embedded->nb[1])
                  : ggml_view_2d(c, session->embeddings, width, session->columns(), session->embeddings->nb[1], 0),
            1
        );
    }
    return x;
}

ggml_tensor * StepGraph::patch_of(const Session * session) const {
    return ggml_reshape_3d(
        graph_.context(), session->patch, network_.config.feature_dim, network_.config.patch_size, 1
    );
}

std::vector<float> StepGraph::peaks(const TextAttention & text) const {
    if (text.weights.empty()) return text.peaks;
    std::vector<float> found;
    for (const ggml_tensor * weights : text.weights) {
        const std::vector<float> values = graph_.get(weights);
        for (size_t head = 0; head < values.size(); head += text.cells.count)
            found.push_back(peak_of(values.data() + head, text.cells.count));
    }
    return found;
}

std::vector<StepResult> StepGraph::run(
    const std::vector<Session *> & sessions, const std::vector<const float *> & noise
) {
    const Config & config = network_.config;
    const size_t n = sessions.size(), values = config.patch_values(), hidden = config.base_lm.hidden;
    std::vector<int32_t> positions;
    std::vector<float> audio, cfg(n), draws(n * values);
    for (size_t i = 0; i < n; i++) {
        const Session & session = *sessions[i];
        const int count = session.columns();
        std::vector<int64_t> rows(count);
        std::iota(rows.begin(), rows.end(), session.length);
        positions.insert(positions.end(), rows.begin(), rows.end());
        if (session.pending.empty()) audio.push_back(1.0f);
        audio.insert(audio.end(), session.pending.begin(), session.pending.end());
        cfg[i] = session.cfg;
        std::copy_n(noise[i], values, draws.begin() + i * values);
        graph_.set(rows_[i], rows);
        graph_.set(masks_[i], causal_mask(key_.kv_lengths[i], session.length, count));
    }
    graph_.set(positions_, positions);
    graph_.set(audio_, audio);
    graph_.set(cfg_, cfg);
    graph_.set(noise_, draws);
    // on every run: the allocator may reuse the memory of an input after it was read
    graph_.set(dit_positions_, network_.flow.positions());
    if (encoder_positions_) graph_.set(encoder_positions_, network_.local_encoder.positions());
    graph_.run();

    const std::vector<float> patches = graph_.get(patches_), logits = graph_.get(stop_logits_),
                             lm = graph_.get(lm_hidden_), residual = graph_.get(residual_hidden_);
    std::vector<StepResult> results;
    for (size_t i = 0; i < n; i++) {
        results.push_back({
            .patch = slice(patches, i, values),
            .stop_logits = slice(logits, i, 2),
            .lm_hidden = slice(lm, i, hidden),
            .residual_hidden = slice(residual, i, hidden),
            .attention = peaks(texts_[i]),
        });
        sessions[i]->length += sessions[i]->columns();
        sessions[i]->pending.clear();
    }
    return results;
}

} // namespace svc
