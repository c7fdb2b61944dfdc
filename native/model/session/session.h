// An utterance in progress: its caches, states and position.
#pragma once
#include <memory>
#include <vector>

#include "ggml-executor/weights/adapter.h"
#include "ggml-executor/stages/causal_conv.h"
#include "ggml-executor/stages/kv_cache.h"
#include "ggml-executor/stages/text_attention.h"

namespace svc {

class Prefill;

// Everything that a session owns.
struct Session {
    Session(
        const Config & config, const Compute & compute, std::unique_ptr<VaeState> vae_state, float cfg, int timesteps,
        TextCells text, AdapterUse adapter
    );
    ~Session();

    const float cfg;
    const int timesteps;
    // The text whose attention each step reports; none if empty.
    const TextCells text;
    const AdapterUse adapter;
    // The rest of the prefix; null once the session is ready to step.
    std::unique_ptr<Prefill> prefill;
    // Number of rows in the KV cache; also the next position.
    int length = 0;
    // The end of the prefix, computed by the first step: 1 for each audio patch, 0 for each token. Empty after that,
    // when each step feeds the previous patch.
    std::vector<float> pending;
    static constexpr int max_pending = 80;

    // Number of positions fed by the next step.
    int columns() const { return pending.empty() ? 1 : static_cast<int>(pending.size()); }

    KvCache cache;
    Storage storage{4};
    ggml_tensor * embeddings; // [hidden, max_pending], of the pending positions
    ggml_tensor * patch;      // [feature_dim, patch_size], the previous patch
    std::unique_ptr<VaeState> vae;
    bool decoded = false; // whether the decoder has seen patches
};

} // namespace svc
