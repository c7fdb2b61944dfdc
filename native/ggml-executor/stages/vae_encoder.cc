#include "ggml-executor/stages/vae_encoder.h"

#include "runtime/error.h"

namespace svc {

VaeEncoder::VaeEncoder(Weights & weights, const Config & config) : hop_(config.vae.encode_hop()) {
    const std::string prefix = "audio_vae.encoder.";
    int64_t channels = weights.count(prefix + "block.0.bias");
    if (channels < 1) weights.file().refuse("tensor \"", prefix, "block.0.bias\" is missing");
    // a depthwise kernel has one input channel
    const bool depthwise = weights.count(prefix + "block.1.block.0.block.1.weight") == 7 * channels;
    first_.emplace(weights, states_, prefix + "block.0", ConvShape{1, channels, 7, 1, 1, 6});
    for (size_t i = 0; i < config.vae.encoder_rates.size(); i++) {
        const std::string name = prefix + "block." + std::to_string(i + 1) + ".block.";
        const int stride = config.vae.encoder_rates[i];
        Block & block = blocks_.emplace_back();
        int dilation = 1;
        for (int unit = 0; unit < 3; unit++, dilation *= 3)
            block.units.emplace_back(weights, states_, name + std::to_string(unit), channels, dilation, depthwise);
        block.snake.emplace(weights, name + "3", channels);
        // model 1 pads an odd stride by one frame more than model 2
        const int padding = 2 * ((stride + 1) / 2) - (config.v2 ? stride % 2 : 0);
        block.downsample.emplace(
            weights, states_, name + "4", ConvShape{channels, 2 * channels, 2 * stride, 1, stride, padding}
        );
        channels *= 2;
    }
    mu_.emplace(weights, states_, prefix + "fc_mu", ConvShape{channels, config.vae.latent, 3, 1, 1, 2});
}

ggml_tensor * VaeEncoder::build(Graph & graph, const Streams & streams, ggml_tensor * samples) const {
    ggml_tensor * x = graph.tap("block0", first_->build(graph, streams, samples));
    for (size_t i = 0; i < blocks_.size(); i++) {
        const Block & block = blocks_[i];
        for (const ResidualUnit & unit : block.units) x = unit.build(graph, streams, x);
        x = block.downsample->build(graph, streams, block.snake->build(graph, x));
        graph.tap("block" + std::to_string(i + 1), x);
    }
    return mu_->build(graph, streams, x);
}

} // namespace svc
