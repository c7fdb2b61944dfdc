#include "model/step.h"

#include <algorithm>

#include "model/attention_mask.h"

namespace svc {
namespace {

constexpr int bucket = 128;

size_t max_nodes(const Network & network, size_t sessions, int timesteps) {
    const Config & config = network.config;
    const size_t cached = static_cast<size_t>(config.base_lm.layers + config.residual_lm.layers) * (40 + 20 * sessions);
    const size_t flow = static_cast<size_t>(timesteps) * (static_cast<size_t>(config.local_dit.layers) * 48 + 64);
    return cached + flow + static_cast<size_t>(config.local_encoder.layers) * 48 + 64 * sessions + 512;
}

std::vector<float> slice(const std::vector<float> & values, size_t index, size_t count) {
    return std::vector<float>(values.begin() + index * count, values.begin() + (index + 1) * count);
}

} // namespace

int kv_bucket(int used) { return (used + bucket - 1) / bucket * bucket; }

StepGraph::StepGraph(const Network & network, const Compute & compute, const FlowMatching::Constants & constants, Key key, const std::vector<Slot *> & slots)
    : network_(network), key_(std::move(key)), graph_(compute, max_nodes(network, slots.size(), key_.timesteps)) {
    const Config & config = network.config;
    ggml_context * c = graph_.context();
    const int64_t n = static_cast<int64_t>(slots.size()), hidden = config.base_lm.hidden;
    positions_ = graph_.input(GGML_TYPE_I32, n);
    audio_ = graph_.input(GGML_TYPE_F32, 1, n);
    cfg_ = graph_.input(GGML_TYPE_F32, 1, n);
    noise_ = graph_.input(GGML_TYPE_F32, config.feature_dim, config.patch_size, n);
    dit_positions_ = graph_.input(GGML_TYPE_I32, network.local_dit.length());
    encoder_positions_ = graph_.input(GGML_TYPE_I32, 1 + config.patch_size);

    ggml_tensor *x = nullptr, *cond = nullptr;
    std::vector<CachedSegment> base, residual;
    for (size_t i = 0; i < slots.size(); i++) {
        ggml_tensor * embedding = ggml_reshape_2d(c, slots[i]->embedding, hidden, 1);
        ggml_tensor * patch = ggml_reshape_3d(c, slots[i]->patch, config.feature_dim, config.patch_size, 1);
        x = x ? ggml_concat(c, x, embedding, 1) : embedding;
        cond = cond ? ggml_concat(c, cond, patch, 2) : patch;
        rows_.push_back(graph_.input(GGML_TYPE_I64, 1));
        masks_.push_back(graph_.input(GGML_TYPE_F16, key_.kv_lengths[i], 1));
        base.push_back({slots[i]->cache.base_lm(), static_cast<int>(i), 1, key_.kv_lengths[i], rows_[i], masks_[i]});
        residual.push_back(base.back());
        residual.back().layers = slots[i]->cache.residual_lm();
    }
    lm_hidden_ = graph_.output(network.quantize_audio(graph_, network.base_lm.build_cached(graph_, x, positions_, base), audio_));
    ggml_tensor * fused = network.fuse(graph_, lm_hidden_, ggml_mul(c, x, audio_));
    residual_hidden_ = graph_.output(network.residual_lm.build_cached(graph_, fused, positions_, residual));
    stop_logits_ = graph_.output(network.stop_head.build(graph_, lm_hidden_));
    ggml_tensor * mu = network.condition(graph_, lm_hidden_, residual_hidden_);
    patches_ = graph_.output(network.flow.build(graph_, constants, noise_, mu, cond, cfg_, dit_positions_));
    ggml_tensor * next = network.embed_patches(graph_, patches_, encoder_positions_);
    for (size_t i = 0; i < slots.size(); i++) {
        graph_.expand(ggml_cpy(c, ggml_view_1d(c, next, hidden, i * next->nb[1]), slots[i]->embedding));
        graph_.expand(ggml_cpy(c, ggml_view_2d(c, patches_, config.feature_dim, config.patch_size, patches_->nb[1], i * patches_->nb[2]), slots[i]->patch));
    }
    graph_.allocate();
}

std::vector<StepResult> StepGraph::run(const std::vector<Slot *> & slots, const std::vector<const float *> & noise) {
    const Config & config = network_.config;
    const size_t n = slots.size(), values = config.patch_values(), hidden = config.base_lm.hidden;
    std::vector<int32_t> positions(n);
    std::vector<float> audio(n), cfg(n), draws(n * values);
    for (size_t i = 0; i < n; i++) {
        const int position = slots[i]->length;
        positions[i] = position;
        audio[i] = slots[i]->audio ? 1.0f : 0.0f;
        cfg[i] = slots[i]->cfg;
        std::copy_n(noise[i], values, draws.begin() + i * values);
        graph_.set(rows_[i], std::vector<int64_t>{position});
        graph_.set(masks_[i], causal_mask(key_.kv_lengths[i], position, 1));
    }
    graph_.set(positions_, positions);
    graph_.set(audio_, audio);
    graph_.set(cfg_, cfg);
    graph_.set(noise_, draws);
    // every run: the allocator may reuse the memory of an input for what is computed after it was read
    graph_.set(dit_positions_, network_.flow.positions());
    graph_.set(encoder_positions_, network_.local_encoder.positions());
    graph_.run();

    const std::vector<float> patches = graph_.get(patches_), logits = graph_.get(stop_logits_), lm = graph_.get(lm_hidden_), residual = graph_.get(residual_hidden_);
    std::vector<StepResult> results;
    for (size_t i = 0; i < n; i++) {
        results.push_back({slice(patches, i, values), slice(logits, i, 2), slice(lm, i, hidden), slice(residual, i, hidden)});
        slots[i]->length++;
        slots[i]->audio = true;
    }
    return results;
}

} // namespace svc
