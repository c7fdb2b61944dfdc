// LocEnc: one embedding per latent patch (official modules/locenc/local_encoder.py).
#pragma once
#include "ggml-executor/stages/transformer.h"

namespace svc {

class LocalEncoder {
public:
    LocalEncoder(Weights & weights, NetworkWeights & network, const Config & config);
    // patches [feature_dim, patch_size, n], positions int32 [1 + patch_size] → [hidden, n]; patches do not attend to
    // each other.
    ggml_tensor * build(Graph & graph, ggml_tensor * patches, ggml_tensor * positions) const;
    // The values of `positions`: 0, 1, 2, …
    std::vector<int32_t> positions() const;

private:
    int patch_size_;
    Linear in_proj_;
    ggml_tensor * special_token_;
    Transformer transformer_;
};

} // namespace svc
