// All stages of a model.
#pragma once
#include <span>

#include "ggml-executor/stages/flow_matching.h"
#include "ggml-executor/stages/fsq.h"
#include "ggml-executor/stages/local_dit.h"
#include "ggml-executor/stages/local_encoder.h"
#include "ggml-executor/stages/stop_head.h"
#include "ggml-executor/weights/token_table.h"
#include "ggml-executor/stages/transformer.h"
#include "ggml-executor/stages/vae_decoder.h"
#include "ggml-executor/stages/vae_encoder.h"

namespace svc {

struct Network {
    // `encoder_weights` are the weights of the audio VAE's encoder, which may be uploaded later.
    Network(Weights & weights, Weights & encoder_weights, const Config & config)
        : Network(weights, load_network(weights, config), encoder_weights, config) {}

    // Input of the base LM, [hidden] each: the embeddings of tokens, or those of patches where `audio` (empty: nowhere) is 1.
    std::vector<float> inputs(
        std::span<const int32_t> ids, std::span<const uint8_t> audio, std::span<const float> embedded
    ) const;
    // patches [feature_dim, patch_size, p] → [hidden, p]; see LocalEncoder::positions(). Here and below, `runs` of the
    // p or n columns.
    ggml_tensor * embed_patches(
        Graph & graph, ggml_tensor * patches, ggml_tensor * positions, const AdapterRuns * runs = nullptr
    ) const;
    // hidden states and patch embeddings of the same positions, both [hidden, n] → input of the residual LM
    ggml_tensor * fuse(Graph & graph, ggml_tensor * hidden, ggml_tensor * embedding, const AdapterRuns * runs) const;
    // both [hidden, n] → mu [dit hidden, mu_tokens, n]
    ggml_tensor * condition(
        Graph & graph, ggml_tensor * lm_hidden, ggml_tensor * residual_hidden, const AdapterRuns * runs
    ) const;
    // Quantizes x where `audio` [1, n] is 1; unchanged where it is 0.
    ggml_tensor * quantize_audio(
        Graph & graph, ggml_tensor * x, ggml_tensor * audio, const AdapterRuns * runs = nullptr
    ) const;

    const Config & config;
    TokenTable tokens;
    Transformer base_lm;
    Transformer residual_lm;
    LocalEncoder local_encoder;
    Linear enc_to_lm;
    Fsq fsq;
    Linear fusion; // model 2 only
    Linear lm_to_dit;
    Linear res_to_dit;
    StopHead stop_head;
    LocalDit local_dit;
    FlowMatching flow;
    VaeEncoder vae_encoder;
    VaeDecoder vae_decoder;

private:
    Network(Weights & weights, NetworkWeights network, Weights & encoder_weights, const Config & config);
};

} // namespace svc
