// Encoder of the audio VAE: PCM to latent frames (the mean; nothing is sampled).
#pragma once
#include <memory>
#include <optional>

#include "ggml-executor/stages/causal_conv.h"
#include "model/description/config.h"

namespace svc {

class VaeEncoder {
public:
    VaeEncoder(Weights & weights, const Config & config);
    // samples [1, n], n a multiple of hop() → mu [latent, n / hop()]
    ggml_tensor * build(Graph & graph, const Streams & streams, ggml_tensor * samples) const;
    std::unique_ptr<VaeState> make_state(const Compute & compute) const { return states_.make(compute); }
    int hop() const { return hop_; }

private:
    struct Block {
        std::vector<ResidualUnit> units;
        std::optional<Snake> snake;
        std::optional<CausalConv> downsample;
    };
    int hop_;
    StateShapes states_;
    std::optional<CausalConv> first_;
    std::vector<Block> blocks_;
    std::optional<CausalConv> mu_;
};

} // namespace svc
