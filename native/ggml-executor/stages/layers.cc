#include "ggml-executor/stages/layers.h"

namespace svc {
namespace {

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

const StackWeights & Layers::packed() const {
    if (packed_layers_.empty()) {
        for (const Layer & layer : stack_.layers) packed_layers_.push_back(view(layer));
        packed_ = {stack_.config, packed_layers_.data(), view(stack_.output_norm)};
    }
    return packed_;
}

} // namespace svc
