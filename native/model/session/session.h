// An utterance in progress.
#pragma once
#include <memory>
#include <vector>

#include "model/executor.h"

namespace svc {

class Prefill;

struct Session {
    Session(float cfg, int timesteps, TextCells text, AdapterUse adapter);
    ~Session();

    const float cfg;
    const int timesteps;
    // The text whose attention each step reports; none if empty.
    const TextCells text;
    const AdapterUse adapter;
    std::unique_ptr<SessionMemory> memory;
    // The rest of the prefix; null once the session is ready to step.
    std::unique_ptr<Prefill> prefill;
    // Number of rows of keys and values; also the next position.
    int rows = 0;
    // The end of the prefix, computed by the first step: 1 for each patch, 0 for each token. Empty after that, when each step
    // feeds the previous patch.
    std::vector<uint8_t> kept;
    bool decoded = false; // whether the decoder has seen patches

    // Number of positions fed by the next step.
    int columns() const { return kept.empty() ? 1 : static_cast<int>(kept.size()); }
};

} // namespace svc
