// What an utterance begins with: text and recordings as one sequence of positions.
#pragma once
#include <cstdint>
#include <vector>

#include "model/config.h"

namespace svc {

// One entry a position; `features` holds the patches of the audio positions only, [patch_size · feature_dim] each.
struct Prefix {
    std::vector<int32_t> tokens;
    std::vector<uint8_t> audio;
    std::vector<float> features;

    // Positions of a reference that the sequence begins with: its marks and the patches between them. 0 without one.
    int reference_length() const;
};

// Fails with INVALID_REQUEST when the prefix doesn't fit the model.
void check_prefix(const Prefix & prefix, const Config & config);

} // namespace svc
