#include "ggml-executor/stages/local_dit.h"

namespace svc {

LocalDit::LocalDit(Weights & weights, NetworkWeights & network, const Config & config)
    : patch_size_(config.patch_size), feature_dim_(config.feature_dim), mu_tokens_(config.mu_tokens()),
      length_(config.dit_length()), in_proj_{network.dit_in}, cond_proj_{network.dit_cond}, out_proj_{network.dit_out},
      time_1_{network.time_1}, time_2_{network.time_2}, delta_1_{network.delta_1}, delta_2_{network.delta_2},
      transformer_(weights, std::move(network.local_dit), config.rope) {}

ggml_tensor * LocalDit::time_mlp(Graph & graph, ggml_tensor * embedding) const {
    return time_2_.build(graph, ggml_silu(graph.context(), time_1_.build(graph, embedding)));
}

ggml_tensor * LocalDit::delta_time_mlp(Graph & graph, ggml_tensor * embedding) const {
    return delta_2_.build(graph, ggml_silu(graph.context(), delta_1_.build(graph, embedding)));
}

ggml_tensor * LocalDit::project(Graph & graph, const Linear & projection, ggml_tensor * patches) const {
    const int64_t n = patches->ne[2];
    ggml_tensor * columns = ggml_reshape_2d(graph.context(), patches, feature_dim_, patch_size_ * n);
    return ggml_reshape_3d(graph.context(), projection.build(graph, columns), hidden(), patch_size_, n);
}

ggml_tensor * LocalDit::project_cond(Graph & graph, ggml_tensor * cond) const {
    return project(graph, cond_proj_, cond);
}

ggml_tensor * LocalDit::build(
    Graph & graph, ggml_tensor * x, ggml_tensor * mu, ggml_tensor * time, ggml_tensor * cond, ggml_tensor * positions,
    const AdapterRuns * runs
) const {
    ggml_context * c = graph.context();
    const int64_t n = mu->ne[2];
    // model 1 adds the time to its single mu token, model 2 has a separate token for it
    ggml_tensor * head = mu_tokens_ == 1 ? ggml_add(c, mu, time) : ggml_concat(c, mu, time, 1);
    ggml_tensor * tokens = ggml_concat(c, ggml_concat(c, head, cond, 1), project(graph, in_proj_, x), 1);
    ggml_tensor * hidden_states =
        transformer_.build_local(graph, tokens, positions, length() - patch_size_, patch_size_, runs);
    ggml_tensor * velocity = out_proj_.build(graph, ggml_reshape_2d(c, hidden_states, hidden(), patch_size_ * n));
    return ggml_reshape_3d(c, velocity, feature_dim_, patch_size_, n);
}

} // namespace svc
