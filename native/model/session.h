// One utterance in flight: its caches, its states, where it stands.
#pragma once
#include <memory>

#include "model/causal_conv.h"
#include "model/kv_cache.h"

namespace svc {

// A place for a session. Slots are reused, so that the graphs that were built over one serve the next utterance.
struct Slot {
    Slot(const Config & config, const Compute & compute, std::unique_ptr<VaeState> vae_state);

    bool open = false;
    float cfg = 2;
    int timesteps = 10;
    // Rows in the KV cache; the next position.
    int length = 0;
    // Whether the position that the next step feeds is an audio patch.
    bool audio = false;

    KvCache cache;
    Storage storage{4};
    ggml_tensor * embedding; // [hidden]: what the next step feeds to the base LM
    ggml_tensor * patch;     // [feature_dim, patch_size]: the patch before the next one
    std::unique_ptr<VaeState> vae;
};

} // namespace svc
