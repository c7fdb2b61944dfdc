// The layers of a transformer as the model file has them, for ggml's graphs and for our kernels.
#pragma once
#include <string>
#include <vector>

#include "cpu-kernels/layer.h"
#include "model/description/config.h"
#include "ggml-executor/weights/weights.h"

namespace svc {

using Layer = LayerOf<FusedMatrix, ggml_tensor *>;

class Layers {
public:
    Layers(Weights & weights, const std::string & prefix, const TransformerConfig & config, const RopeConfig & rope);

    const TransformerConfig & config() const { return config_; }
    const RopeConfig & rope() const { return rope_; }
    // Of the names of all tensors.
    const std::string & prefix() const { return prefix_; }
    const std::vector<Layer> & all() const { return layers_; }
    ggml_tensor * output_norm() const { return output_norm_; }

    // For our kernels, after upload().
    const StackWeights & packed() const;
    // Writes cos and sin of the angles of a position: head_dim values.
    void rotation(int position, float * values) const;

private:
    std::string prefix_;
    TransformerConfig config_;
    RopeConfig rope_;
    std::vector<Layer> layers_;
    ggml_tensor * output_norm_;
    std::vector<float> inverse_factors_, inverse_frequencies_;
    mutable std::vector<LayerWeights> packed_layers_;
    mutable StackWeights packed_;
};

} // namespace svc
