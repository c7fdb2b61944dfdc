// Everything before the first patch: fills a slot's caches and leaves the last position to the first step.
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "model/network.h"
#include "model/session.h"

namespace svc {

// One entry a position; `features` holds the patches of the audio positions only, [patch_size · feature_dim] each.
struct Prefix {
    std::vector<int32_t> tokens;
    std::vector<uint8_t> audio;
    std::vector<float> features;
};

// Fails with INVALID_REQUEST when the prefix doesn't fit the model.
void check_prefix(const Prefix & prefix, const Config & config);

// `cancel` is read between chunks of positions; not 0 fails with CANCELLED.
void prefill(const Network & network, const Compute & compute, Slot & slot, const Prefix & prefix, const std::atomic<int> & cancel);

} // namespace svc
