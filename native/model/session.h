// One utterance in flight: its caches, its states, where it stands.
#pragma once
#include <memory>
#include <vector>

#include "model/causal_conv.h"
#include "model/kv_cache.h"

namespace svc {

class Prefill;

// What a session owns; all of it is freed with the session.
struct Slot {
    Slot(const Config & config, const Compute & compute, std::unique_ptr<VaeState> vae_state, float cfg, int timesteps);
    ~Slot();

    const float cfg;
    const int timesteps;
    // What is left of the prefix to compute; null once the session can step.
    std::unique_ptr<Prefill> prefill;
    // Rows in the KV cache; the next position.
    int length = 0;
    // The end of the prefix, which the first step computes: for each position whether it is an audio patch (1 or 0).
    // Empty from then on: a step feeds the patch before.
    std::vector<float> pending;
    static constexpr int max_pending = 64;

    // Positions that the next step feeds.
    int columns() const { return pending.empty() ? 1 : static_cast<int>(pending.size()); }

    KvCache cache;
    Storage storage{4};
    ggml_tensor * embeddings; // [hidden, max_pending]: of the pending positions
    ggml_tensor * patch;      // [feature_dim, patch_size]: the patch before the next one
    std::unique_ptr<VaeState> vae;
};

} // namespace svc
