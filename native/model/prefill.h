// Everything before the first patch: fills a slot's caches and leaves the last positions to the first step.
#pragma once
#include "model/network.h"
#include "model/prefix.h"
#include "model/session.h"
#include "model/voice_memory.h"

namespace svc {

// One prefix slice by slice, so that others can compute in between.
class Prefill {
public:
    // Checked by check_prefix(); the slot owns this object.
    Prefill(const Network & network, const Compute & compute, VoiceMemory & memory, Slot & slot, Prefix prefix);
    // Computes the next slice; returns whether the slot is filled.
    bool advance();

private:
    // Behind the embeddings of the patches.
    void begin_positions();

    const Network & network_;
    const Compute & compute_;
    VoiceMemory & memory_;
    Slot & slot_;
    const Prefix prefix_;
    VoiceMemory::Embedding embedding_;
    bool positions_begun_ = false;
    int known_ = 0; // positions that were remembered
    int next_ = 0;
    size_t next_patch_ = 0;
};

} // namespace svc
