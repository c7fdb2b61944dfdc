// LocDiT: the velocity estimator of flow matching (official modules/locdit/local_dit.py and local_dit_v2.py).
#pragma once
#include "ggml-executor/stages/transformer.h"

namespace svc {

class LocalDit {
public:
    LocalDit(Weights & weights, NetworkWeights & network, const Config & config);

    // embedding [hidden, n] → [hidden, n]
    ggml_tensor * time_mlp(Graph & graph, ggml_tensor * embedding) const;
    ggml_tensor * delta_time_mlp(Graph & graph, ggml_tensor * embedding) const;

    // cond [feature_dim, patch_size, n] → [hidden, patch_size, n]; independent of the time
    ggml_tensor * project_cond(Graph & graph, ggml_tensor * cond) const;
    // x [feature_dim, patch_size, n], mu [hidden, mu_tokens, n], time [hidden, 1, n], projected cond,
    // positions int32 [length()] → velocity [feature_dim, patch_size, n]; `runs` of the n patches
    ggml_tensor * build(
        Graph & graph, ggml_tensor * x, ggml_tensor * mu, ggml_tensor * time, ggml_tensor * cond,
        ggml_tensor * positions, const AdapterRuns * runs = nullptr
    ) const;
    int length() const { return length_; }
    int hidden() const { return transformer_.config().hidden; }
    int mu_tokens() const { return mu_tokens_; }
    const Linear & in_proj() const { return in_proj_; }
    const Linear & cond_proj() const { return cond_proj_; }
    const Linear & out_proj() const { return out_proj_; }
    const Transformer & transformer() const { return transformer_; }

private:
    ggml_tensor * project(Graph & graph, const Linear & projection, ggml_tensor * patches) const;

    int patch_size_, feature_dim_, mu_tokens_, length_;
    Linear in_proj_, cond_proj_, out_proj_, time_1_, time_2_, delta_1_, delta_2_;
    Transformer transformer_;
};

} // namespace svc
