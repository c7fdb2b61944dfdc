#include "model/description/rotation.h"

#include <cmath>

namespace svc {

Rotation::Rotation(const RopeConfig & rope, int head_dim) : scale_(rope.scale) {
    for (int i = 0; i < head_dim / 2; i++) {
        inverse_factors_.push_back(1.0f / rope.factors[i]);
        inverse_frequencies_.push_back(
            1.0f / std::pow(rope.theta, static_cast<float>(2 * i) / static_cast<float>(head_dim))
        );
    }
}

void Rotation::at(int position, float * values) const {
    const size_t half = inverse_factors_.size();
    for (size_t i = 0; i < half; i++) {
        // in float32, like the tables of the official code
        const float angle = static_cast<float>(position) * inverse_factors_[i] * inverse_frequencies_[i];
        values[i] = static_cast<float>(std::cos(static_cast<double>(angle))) * scale_;
        values[half + i] = static_cast<float>(std::sin(static_cast<double>(angle))) * scale_;
    }
}

} // namespace svc
