#include "ggml-executor/stages/local_encoder.h"

#include <numeric>

namespace svc {

LocalEncoder::LocalEncoder(Weights & weights, NetworkWeights & network, const Config & config)
    : patch_size_(config.patch_size), in_proj_{network.encoder_in}, special_token_(network.special_token),
      transformer_(weights, std::move(network.local_encoder), config.rope) {}

ggml_tensor * LocalEncoder::build(Graph & graph, ggml_tensor * patches, ggml_tensor * positions) const {
    ggml_context * c = graph.context();
    const int64_t hidden = transformer_.config().hidden, n = patches->ne[2];
    ggml_tensor * frames = in_proj_.build(graph, ggml_reshape_2d(c, patches, patches->ne[0], patch_size_ * n));
    ggml_tensor * summary = ggml_repeat_4d(c, special_token_, hidden, 1, n, 1);
    ggml_tensor * x = ggml_concat(c, summary, ggml_reshape_3d(c, frames, hidden, patch_size_, n), 1);
    return ggml_reshape_2d(c, transformer_.build_local(graph, x, positions, 0, 1), hidden, n);
}

std::vector<int32_t> LocalEncoder::positions() const {
    std::vector<int32_t> values(1 + patch_size_);
    std::iota(values.begin(), values.end(), 0);
    return values;
}

} // namespace svc
