// Where attention looks; compiled for several instruction sets, hence static.
#pragma once

namespace svc {

// Index of the largest of `count` weights, shifted towards its larger neighbor. Weights are not negative.
static inline float peak_of(const float * weights, int count) {
    int peak = 0;
    for (int i = 1; i < count; i++) peak = weights[i] > weights[peak] ? i : peak;
    float sum = 0, moment = 0;
    for (int i = peak > 0 ? peak - 1 : 0; i <= peak + 1 && i < count; i++) {
        sum += weights[i];
        moment += weights[i] * static_cast<float>(i - peak);
    }
    return static_cast<float>(peak) + (sum > 0 ? moment / sum : 0);
}

} // namespace svc
