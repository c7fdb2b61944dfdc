// Prints the names of the kernels for this processor, the best first: those that `npm ci` compiles.
#include <cstdio>

#include "cpu-kernels/processor.cc"

int main() {
    const svc::ProcessorFeatures features = svc::granted_features();
#if defined(__x86_64__)
    // src/engine/backends/native/trusted-kernels.ts compares both, and chooses
    if (features.amx) return std::puts("amx avx512") < 0;
#endif
    return std::puts(svc::best_kernels(features)) < 0;
}
