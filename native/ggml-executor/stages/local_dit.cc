#include "ggml-executor/stages/local_dit.h"

#include <cmath>

namespace svc {

LocalDit::LocalDit(Weights & weights, const Config & config)
    : patch_size_(config.patch_size), feature_dim_(config.feature_dim), mu_tokens_(config.mu_tokens()),
      length_(config.dit_length()),
      in_proj_(Linear::load(weights, "locdit.in_proj", config.feature_dim, config.local_dit.hidden)),
      cond_proj_(Linear::load(weights, "locdit.cond_proj", config.feature_dim, config.local_dit.hidden)),
      out_proj_(Linear::load(weights, "locdit.out_proj", config.local_dit.hidden, config.feature_dim)),
      time_1_(Linear::load(weights, "locdit.time_mlp.linear_1", config.local_dit.hidden, config.local_dit.hidden)),
      time_2_(Linear::load(weights, "locdit.time_mlp.linear_2", config.local_dit.hidden, config.local_dit.hidden)),
      delta_1_(
          Linear::load(weights, "locdit.delta_time_mlp.linear_1", config.local_dit.hidden, config.local_dit.hidden)
      ),
      delta_2_(
          Linear::load(weights, "locdit.delta_time_mlp.linear_2", config.local_dit.hidden, config.local_dit.hidden)
      ),
      transformer_(weights, "locdit.", config.local_dit, config.rope) {}

std::vector<float> LocalDit::sinusoids(const std::vector<float> & times) const {
    const int half = hidden() / 2;
    const float decay = static_cast<float>(std::log(10000.0) / (half - 1));
    std::vector<float> values;
    for (float time : times) {
        const size_t begin = values.size();
        values.resize(begin + hidden());
        for (int i = 0; i < half; i++) {
            const float angle = 1000.0f * time * std::exp(static_cast<float>(i) * -decay);
            values[begin + i] = static_cast<float>(std::sin(static_cast<double>(angle)));
            values[begin + half + i] = static_cast<float>(std::cos(static_cast<double>(angle)));
        }
    }
    return values;
}

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
