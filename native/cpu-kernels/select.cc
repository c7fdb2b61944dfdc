#include <atomic>
#include <cstring>

#include "cpu-kernels/kernels.h"
#include "cpu-kernels/processor.h"

namespace svc {

extern const KernelSet kernels_portable;
#if defined(__x86_64__)
extern const KernelSet kernels_amx;
extern const KernelSet kernels_avx512_bf16;
extern const KernelSet kernels_avx512;
extern const KernelSet kernels_avx_vnni;
extern const KernelSet kernels_avx2;
#elif defined(__aarch64__)
extern const KernelSet kernels_neon_i8mm;
extern const KernelSet kernels_neon;
extern const KernelSet kernels_neon_v8;
#endif

namespace {

struct Candidate {
    const KernelSet * kernels;
    bool runs;
    bool by_name_only = false;
};

std::atomic<const KernelSet *> added = nullptr;

const ProcessorFeatures features = processor_features();

} // namespace

const KernelSet * choose_kernels(const ProcessorFeatures & features, const char * name) {
    const Candidate candidates[] = {
#if defined(__x86_64__)
        {&kernels_amx, features.amx},
        // else the audio VAE is faster in float32
        {&kernels_avx512_bf16, features.avx512_bf16, !features.fast_bf16},
        {&kernels_avx512, features.avx512},
        {&kernels_avx_vnni, features.avx_vnni},
        {&kernels_avx2, features.avx2},
#elif defined(__aarch64__)
        {&kernels_neon_i8mm, features.i8mm},
        {&kernels_neon, features.dot_products},
        {&kernels_neon_v8, true},
#endif
        // slower than ggml's on old processors
        {&kernels_portable, true, true},
    };
    for (const Candidate & candidate : candidates) {
        const bool wanted = name ? std::strcmp(name, candidate.kernels->name) == 0 : !candidate.by_name_only;
        if (candidate.runs && wanted) return candidate.kernels;
    }
    const KernelSet * other = added;
    return name && other && std::strcmp(name, other->name) == 0 ? other : nullptr;
}

const KernelSet * find_kernels(const char * name) {
    const KernelSet * found = choose_kernels(features, name);
#if defined(__x86_64__)
    // not before they are wanted
    if (found == &kernels_amx && !enable_tiles()) {
        ProcessorFeatures others = features;
        others.amx = false;
        return choose_kernels(others, name);
    }
#endif
    return found;
}

void add_kernels(const KernelSet & kernels) { added = &kernels; }

} // namespace svc
