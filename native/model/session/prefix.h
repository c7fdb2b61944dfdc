// The start of an utterance: text and recordings as one sequence of positions.
#pragma once
#include <cstdint>
#include <vector>

#include "model/description/config.h"

namespace svc {

// One entry per position; `features` holds only the patches of the audio positions, [patch_size · feature_dim] each.
struct Prefix {
    std::vector<int32_t> tokens;
    std::vector<uint8_t> audio;
    std::vector<float> features;

    // Number of positions of a leading reference (its marks and the patches between them); 0 without one.
    int reference_length() const;
};

// Fails with INVALID_REQUEST if the prefix does not fit the model.
void check_prefix(const Prefix & prefix, const Config & config);

} // namespace svc
