// The Euler steps of flow matching with classifier-free guidance of optimized scale, CFG-Zero* (official
// modules/locdit/unified_cfm.py), and the embeddings of their times.
#pragma once
#include <vector>

namespace svc {

// Times of the Euler steps that call the estimator. The first steps of CFG-Zero* have zero velocity and are left out.
struct FlowSchedule {
    int timesteps = 10;
    float sway = 1;
    bool zero_star = true;

    struct Call {
        float time;
        float step;  // step width, the factor of the velocity
        float delta; // step width passed to the estimator: 0 except in mean mode
    };
    std::vector<Call> calls(bool mean_mode) const;
};

// Sinusoidal embeddings of times, `width` values each: sin, then cos, of 1000 · t · exp(-ln(10000) · i / (width/2 - 1)).
std::vector<float> time_sinusoids(const std::vector<float> & times, int width);

} // namespace svc
