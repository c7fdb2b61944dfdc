// Prefill: fills a session's memory before the first patch and leaves the last positions to the first step.
#pragma once
#include "model/executor.h"
#include "model/session/prefix.h"
#include "model/session/session.h"
#include "model/session/voice_memory.h"

namespace svc {

// Computes a prefix in slices, so that other sessions can compute in between.
class Prefill {
public:
    // `prefix` must have passed check_prefix(). The session owns this object.
    Prefill(const Config & config, Executor & executor, VoiceMemory & memory, Session & session, Prefix prefix);
    // Computes the next slice; returns whether the session is filled.
    bool advance();

private:
    // Starts on the positions once all patches are embedded.
    void begin_positions();
    void run_chunk(int end);

    const Config & config_;
    Executor & executor_;
    VoiceMemory & memory_;
    Session & session_;
    const Prefix prefix_;
    VoiceMemory::Embedding embedding_;
    bool positions_begun_ = false;
    int known_ = 0; // positions restored from memory
    int next_ = 0;
    size_t next_patch_ = 0;
};

} // namespace svc
