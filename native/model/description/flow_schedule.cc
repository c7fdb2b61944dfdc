#include "model/description/flow_schedule.h"

#include <algorithm>
#include <cmath>

namespace svc {

std::vector<FlowSchedule::Call> FlowSchedule::calls(bool mean_mode) const {
    // in float32, like the official code
    constexpr float half_pi = 1.57079632679489661923f;
    std::vector<float> span(timesteps + 1);
    for (int i = 0; i <= timesteps; i++) {
        const float t = static_cast<float>(1.0 - static_cast<double>(i) / timesteps);
        span[i] = t + sway * (std::cos(half_pi * t) - 1 + t);
    }
    const int zero_steps = zero_star ? std::max(1, static_cast<int>(span.size() * 0.04)) : 0;
    std::vector<Call> calls;
    float t = span[0];
    float dt = span[0] - span[1];
    for (int step = 1; step <= timesteps; step++) {
        if (step > zero_steps) calls.push_back({t, dt, mean_mode ? dt : 0.0f});
        t -= dt;
        if (step < timesteps) dt = t - span[step + 1];
    }
    return calls;
}

std::vector<float> time_sinusoids(const std::vector<float> & times, int width) {
    const int half = width / 2;
    const float decay = static_cast<float>(std::log(10000.0) / (half - 1));
    std::vector<float> values;
    for (float time : times) {
        const size_t begin = values.size();
        values.resize(begin + width);
        for (int i = 0; i < half; i++) {
            const float angle = 1000.0f * time * std::exp(static_cast<float>(i) * -decay);
            values[begin + i] = static_cast<float>(std::sin(static_cast<double>(angle)));
            values[begin + half + i] = static_cast<float>(std::cos(static_cast<double>(angle)));
        }
    }
    return values;
}

} // namespace svc
