#include "ggml-executor/stages/layers.h"

#include <cmath>

namespace svc {
namespace {

Layer load_layer(Weights & weights, const std::string & block, const TransformerConfig & config) {
    const int64_t hidden = config.hidden, ffn = config.ffn,
                  queries = static_cast<int64_t>(config.heads) * config.head_dim,
                  keys = static_cast<int64_t>(config.kv_heads) * config.head_dim;
    return {
        .attention_norm = weights.vector(block + "attn_norm.weight", hidden),
        .qkv = weights.fused(
            {{block + "attn_q", queries}, {block + "attn_k", keys}, {block + "attn_v", keys}}, hidden,
            Arrangement::stacked
        ),
        .o = weights.fused({{block + "attn_output", hidden}}, queries, Arrangement::stacked),
        .ffn_norm = weights.vector(block + "ffn_norm.weight", hidden),
        .gate_up =
            weights.fused({{block + "ffn_gate", ffn}, {block + "ffn_up", ffn}}, hidden, Arrangement::interleaved),
        .down = weights.fused({{block + "ffn_down", hidden}}, ffn, Arrangement::stacked),
    };
}

const Packed & view(const FusedMatrix & matrix) { return matrix.packed->view; }
const float * view(const ggml_tensor * vector) { return static_cast<const float *>(vector->data); }

LayerWeights view(const Layer & layer) {
    return {
        .attention_norm = view(layer.attention_norm),
        .qkv = view(layer.qkv),
        .o = view(layer.o),
        .ffn_norm = view(layer.ffn_norm),
        .gate_up = view(layer.gate_up),
        .down = view(layer.down),
    };
}

} // namespace

Layers::Layers(Weights & weights, const std::string & prefix, const TransformerConfig & config, const RopeConfig & rope)
    : prefix_(prefix), config_(config), rope_(rope) {
    for (int i = 0; i < config.layers; i++)
        layers_.push_back(load_layer(weights, prefix + "blk." + std::to_string(i) + ".", config));
    output_norm_ = weights.vector(prefix + "output_norm.weight", config.hidden);
    for (int i = 0; i < config.head_dim / 2; i++) {
        inverse_factors_.push_back(1.0f / rope.factors[i]);
        inverse_frequencies_.push_back(
            1.0f / std::pow(rope.theta, static_cast<float>(2 * i) / static_cast<float>(config.head_dim))
        );
    }
}

const StackWeights & Layers::packed() const {
    if (packed_layers_.empty()) {
        for (const Layer & layer : layers_) packed_layers_.push_back(view(layer));
        packed_ = {config_, packed_layers_.data(), view(output_norm_)};
    }
    return packed_;
}

void Layers::rotation(int position, float * values) const {
    const int half = config_.head_dim / 2;
    for (int i = 0; i < half; i++) {
        // in float32, like the tables of the official code
        const float angle = static_cast<float>(position) * inverse_factors_[i] * inverse_frequencies_[i];
        values[i] = static_cast<float>(std::cos(static_cast<double>(angle))) * rope_.scale;
        values[half + i] = static_cast<float>(std::sin(static_cast<double>(angle))) * rope_.scale;
    }
}

} // namespace svc
