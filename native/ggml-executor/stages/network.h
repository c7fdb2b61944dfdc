// All stages of a model.
#pragma once
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
    Network(Weights & weights, Weights & encoder_weights, const Config & config);

    // ids int32 [n] → [hidden, n]
    ggml_tensor * embed(Graph & graph, ggml_tensor * ids) const;
    // patches [feature_dim, patch_size, p] → [hidden, p]; see LocalEncoder::positions(). Here and below, `adapters` of the
    // p or n columns.
    ggml_tensor * embed_patches(
        Graph & graph, ggml_tensor * patches, ggml_tensor * positions, const AdapterRuns & adapters = {}
    ) const;
    // Merges tokens int32 [n] and embedded patches [hidden, p] into one sequence [hidden, n]; `order` int32 [n] is from
    // combined_order().
    ggml_tensor * combine(Graph & graph, ggml_tensor * ids, ggml_tensor * embedded, ggml_tensor * order) const;
    // hidden states and patch embeddings of the same positions, both [hidden, n] → input of the residual LM
    ggml_tensor * fuse(
        Graph & graph, ggml_tensor * hidden, ggml_tensor * embedding, const AdapterRuns & adapters
    ) const;
    // both [hidden, n] → mu [dit hidden, mu_tokens, n]
    ggml_tensor * condition(
        Graph & graph, ggml_tensor * lm_hidden, ggml_tensor * residual_hidden, const AdapterRuns & adapters
    ) const;
    // Quantizes x where `audio` [1, n] is 1; unchanged where it is 0.
    ggml_tensor * quantize_audio(Graph & graph, ggml_tensor * x, ggml_tensor * audio) const;

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
};

// For each position of an audio mask, the index of its token, or n plus the index of its patch.
template <typename Mask>
std::vector<int32_t> combined_order(Mask begin, Mask end) {
    std::vector<int32_t> order;
    const int32_t tokens = static_cast<int32_t>(end - begin);
    int32_t patch = 0;
    for (Mask audio = begin; audio != end; ++audio)
        order.push_back(*audio ? tokens + patch++ : static_cast<int32_t>(order.size()));
    return order;
}

} // namespace svc
