#include "ggml-executor/stages/network.h"

#include <algorithm>

namespace svc {

Network::Network(Weights & weights, NetworkWeights network, Weights & encoder_weights, const Config & config)
    : config(config), tokens(weights.file(), *network.tokens),
      base_lm(weights, std::move(network.base_lm), config.rope),
      residual_lm(weights, std::move(network.residual_lm), config.rope), local_encoder(weights, network, config),
      enc_to_lm{network.enc_to_lm}, fsq(network, config), fusion{network.fusion}, lm_to_dit{network.lm_to_dit},
      res_to_dit{network.res_to_dit}, stop_head(network), local_dit(weights, network, config),
      flow(local_dit, this->config), vae_encoder(encoder_weights, describe_vae_encoder(config, weights.file())),
      vae_decoder(weights, describe_vae_decoder(config, weights.file())) {}

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
