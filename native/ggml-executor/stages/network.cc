#include "ggml-executor/stages/network.h"

#include <algorithm>

namespace svc {

Network::Network(Weights & weights, Weights & encoder_weights, const Config & config)
    : config(config), tokens(weights, "token_embd.weight", config.base_lm.hidden, config.vocab),
      base_lm(weights, "", config.base_lm, config.rope),
      residual_lm(weights, "residual_lm.", config.residual_lm, config.rope), local_encoder(weights, config),
      enc_to_lm(Linear::load(weights, "proj.enc_to_lm", config.local_encoder.hidden, config.base_lm.hidden)),
      fsq(weights, config),
      lm_to_dit(Linear::load(weights, "proj.lm_to_dit", config.base_lm.hidden, config.local_dit.hidden)),
      res_to_dit(Linear::load(weights, "proj.res_to_dit", config.base_lm.hidden, config.local_dit.hidden)),
      stop_head(weights, config), local_dit(weights, config), flow(local_dit, this->config),
      vae_encoder(encoder_weights, config), vae_decoder(weights, config) {
    if (config.v2)
        fusion = Linear::load(weights, "proj.fusion_concat", 2 * config.base_lm.hidden, config.base_lm.hidden);
}

ggml_tensor * Network::embed_patches(
    Graph & graph, ggml_tensor * patches, ggml_tensor * positions, const AdapterRuns * runs
) const {
    return enc_to_lm.build(graph, local_encoder.build(graph, patches, positions), runs);
}

std::vector<float> Network::inputs(
    std::span<const int32_t> ids, std::span<const uint8_t> audio, std::span<const float> embedded
) const {
    const size_t width = config.base_lm.hidden;
    std::vector<float> columns(ids.size() * width);
    const float * patch = embedded.data();
    for (size_t i = 0; i < ids.size(); i++) {
        float * column = columns.data() + i * width;
        if (i < audio.size() && audio[i]) {
            std::copy_n(patch, width, column);
            patch += width;
            continue;
        }
        tokens.read(ids[i], column);
        for (size_t k = 0; k < width; k++) column[k] *= config.embedding_scale;
    }
    return columns;
}

ggml_tensor * Network::fuse(
    Graph & graph, ggml_tensor * hidden, ggml_tensor * embedding, const AdapterRuns * runs
) const {
    if (!config.v2) return ggml_add(graph.context(), hidden, embedding);
    return fusion.build(graph, ggml_concat(graph.context(), hidden, embedding, 0), runs);
}

ggml_tensor * Network::condition(
    Graph & graph, ggml_tensor * lm_hidden, ggml_tensor * residual_hidden, const AdapterRuns * runs
) const {
    ggml_context * c = graph.context();
    ggml_tensor * lm = lm_to_dit.build(graph, lm_hidden, runs);
    ggml_tensor * residual = res_to_dit.build(graph, residual_hidden, runs);
    const int64_t width = config.local_dit.hidden, n = lm_hidden->ne[1];
    if (!config.v2) return ggml_reshape_3d(c, ggml_add(c, lm, residual), width, 1, n);
    return ggml_concat(c, ggml_reshape_3d(c, lm, width, 1, n), ggml_reshape_3d(c, residual, width, 1, n), 1);
}

ggml_tensor * Network::quantize_audio(
    Graph & graph, ggml_tensor * x, ggml_tensor * audio, const AdapterRuns * runs
) const {
    ggml_context * c = graph.context();
    ggml_tensor * text = ggml_scale_bias(c, audio, -1.0f, 1.0f);
    return ggml_add(c, ggml_mul(c, fsq.build(graph, x, runs), audio), ggml_mul(c, x, text));
}

} // namespace svc
