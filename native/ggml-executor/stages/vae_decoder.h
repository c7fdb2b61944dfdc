// Streaming decoder of the audio VAE: latent frames to PCM, chunk by chunk, with the same result as decoding all at
// once.
#pragma once
#include <memory>
#include <optional>

#include "ggml-executor/stages/causal_conv.h"
#include "model/description/config.h"

namespace svc {

// Conditioning of a decoder block on the output sample rate (model 2): scale and bias, or an added or appended vector,
// and an optional output layer, depending on the tensors in the model.
class RateCondition {
public:
    RateCondition(Weights & weights, const RateConditionDescription & description);
    ggml_tensor * build(Graph & graph, const Streams & streams, ggml_tensor * x, int bucket) const;

private:
    ggml_tensor * pick(Graph & graph, ggml_tensor * table, int bucket) const;

    ggml_tensor *scale_ = nullptr, *bias_ = nullptr, *embedding_ = nullptr;
    bool append_;
    std::optional<Snake> snake_;
    std::optional<CausalConv> out_;
};

class VaeDecoder {
public:
    VaeDecoder(Weights & weights, VaeDecoderDescription description);
    // latents [latent, frames] → samples [1, frames · decode_hop()]; `sample_rate` selects the conditioning.
    ggml_tensor * build(Graph & graph, const Streams & streams, ggml_tensor * latents, int sample_rate) const;
    const std::vector<CarriedFrames> & states() const { return description_.states; }

private:
    struct Block {
        std::optional<RateCondition> condition;
        std::optional<Snake> snake;
        std::optional<CausalUpsample> upsample;
        std::vector<ResidualUnit> units;
    };
    VaeDecoderDescription description_;
    std::vector<CausalConv> first_;
    std::vector<Block> blocks_;
    std::optional<Snake> snake_;
    std::optional<CausalConv> last_;
};

} // namespace svc
