// What a session keeps on the device of ggml.
#pragma once
#include <memory>
#include <vector>

#include "ggml-executor/stages/causal_conv.h"
#include "ggml-executor/stages/kv_cache.h"
#include "model/executor.h"

namespace svc {

class GgmlSessionMemory : public SessionMemory {
public:
    GgmlSessionMemory(
        const Config & config, const Compute & compute, std::unique_ptr<VaeState> vae, std::span<const float> patch
    );
    int capacity() const override { return cache.capacity(); }
    // Makes room for `positions` rows, of which the first `used` are there.
    void reserve(int positions, int used);

    // Changes when tensors of the device move.
    uint64_t number = 0;
    KvCache cache;
    std::unique_ptr<VaeState> vae;
    // The host has these: they are a few kilobytes that each step reads once.
    std::vector<float> patch; // the previous one
    std::vector<float> kept;  // inputs of the base LM, [hidden] each
};

} // namespace svc
