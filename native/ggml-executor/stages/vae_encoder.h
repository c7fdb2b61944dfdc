// Encoder of the audio VAE: PCM to latent frames (the mean; nothing is sampled).
#pragma once
#include <memory>
#include <optional>

#include "ggml-executor/stages/causal_conv.h"
#include "model/description/config.h"

namespace svc {

class VaeEncoder {
public:
    VaeEncoder(Weights & weights, VaeEncoderDescription description);
    // samples [1, n], n a multiple of encode_hop() → mu [latent, n / encode_hop()]
    ggml_tensor * build(Graph & graph, const Streams & streams, ggml_tensor * samples) const;
    const std::vector<CarriedFrames> & states() const { return description_.states; }

private:
    struct Block {
        std::vector<ResidualUnit> units;
        std::optional<Snake> snake;
        std::optional<CausalConv> downsample;
    };
    VaeEncoderDescription description_;
    std::optional<CausalConv> first_;
    std::vector<Block> blocks_;
    std::optional<CausalConv> mu_;
};

} // namespace svc
