#include "ggml-executor/stages/vae_encoder.h"

namespace svc {

VaeEncoder::VaeEncoder(Weights & weights, VaeEncoderDescription description) : description_(std::move(description)) {
    first_.emplace(weights, description_.first);
    for (const auto & described : description_.blocks) {
        Block & block = blocks_.emplace_back();
        for (const ResidualUnitDescription & unit : described.units) block.units.emplace_back(weights, unit);
        block.snake.emplace(weights, described.snake);
        block.downsample.emplace(weights, described.downsample);
    }
    mu_.emplace(weights, description_.mu);
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
