// Values that kernels are tried with, and the comparison of results.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/error.h"

namespace svc::cuda {

// From -1 to 1.
struct Noise {
    uint32_t state;
    float next() {
        state = state * 1664525u + 1013904223u;
        return static_cast<float>(static_cast<int32_t>(state)) * 0x1p-31f;
    }
    std::vector<float> values(size_t count) {
        std::vector<float> all(count);
        for (float & value : all) value = next();
        return all;
    }
};

// `tolerance`: RMS of the error, relative to that of the values. Fails with BACKEND_UNAVAILABLE.
inline void require_close(
    const std::vector<float> & values, const std::vector<double> & expected, double tolerance,
    const std::string & kernel
) {
    double squares = 0, errors = 0, largest = 0;
    for (size_t i = 0; i < expected.size(); i++) {
        const double error = std::fabs(values[i] - expected[i]);
        squares += expected[i] * expected[i];
        errors += error * error;
        if (!(error <= largest)) largest = error; // also NaN
    }
    const double root_mean_square = std::sqrt(squares / static_cast<double>(expected.size()));
    const double error = std::sqrt(errors / squares);
    // no value is far from the others either
    if (!(error <= tolerance) || !(largest <= 12 * tolerance * root_mean_square))
        fail("BACKEND_UNAVAILABLE", "wrong results (", kernel, " differs by ", 100 * error, " %)");
}

} // namespace svc::cuda
