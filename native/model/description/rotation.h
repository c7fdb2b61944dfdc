// RoPE: the angles by which queries and keys are rotated at a position.
#pragma once
#include <vector>

#include "model/description/config.h"

namespace svc {

class Rotation {
public:
    Rotation(const RopeConfig & rope, int head_dim);
    // Writes cos and sin of the angles of a position, head_dim / 2 each. Value i of a head is rotated with value
    // i + head_dim / 2.
    void at(int position, float * values) const;

private:
    float scale_;
    std::vector<float> inverse_factors_, inverse_frequencies_;
};

} // namespace svc
