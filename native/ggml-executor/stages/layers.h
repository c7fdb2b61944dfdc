// The layers of a transformer for ggml's graphs and for our kernels.
#pragma once
#include <string>
#include <vector>

#include "cpu-kernels/layer.h"
#include "ggml-executor/weights/weights.h"
#include "model/description/rotation.h"

namespace svc {

using Stack = StackOf<FusedMatrix, ggml_tensor *>;
using Layer = LayerOf<FusedMatrix, ggml_tensor *>;

class Layers {
public:
    Layers(Stack stack, const RopeConfig & rope)
        : stack_(std::move(stack)), rope_(rope), rotation_(rope, stack_.config.head_dim) {}

    const TransformerConfig & config() const { return stack_.config; }
    const RopeConfig & rope() const { return rope_; }
    // Of the names of all tensors.
    const std::string & prefix() const { return stack_.prefix; }
    const std::vector<Layer> & all() const { return stack_.layers; }
    ggml_tensor * output_norm() const { return stack_.output_norm; }

    // For our kernels, after upload().
    const StackWeights & packed() const;
    // Writes cos and sin of the angles of a position: head_dim values.
    void rotation(int position, float * values) const { rotation_.at(position, values); }

private:
    Stack stack_;
    const RopeConfig & rope_;
    Rotation rotation_;
    mutable std::vector<LayerWeights> packed_layers_;
    mutable StackWeights packed_;
};

} // namespace svc
