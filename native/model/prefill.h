// Everything before the first patch: fills a slot's caches and leaves the last positions to the first step.
#pragma once
#include <atomic>

#include "model/network.h"
#include "model/prefix.h"
#include "model/session.h"
#include "model/voice_memory.h"

namespace svc {

// `cancel` is read between chunks of positions; not 0 fails with CANCELLED.
void prefill(const Network & network, const Compute & compute, VoiceMemory & memory, Slot & slot, const Prefix & prefix, const std::atomic<int> & cancel);

} // namespace svc
