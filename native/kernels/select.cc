#include <cstring>

#include "kernels/kernels.h"
#include "kernels/processor.h"

namespace svc {

extern const KernelSet kernels_portable;
#if defined(__x86_64__)
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
};

const ProcessorFeatures features = processor_features();

#if defined(__x86_64__)
const Candidate candidates[] = {
    {&kernels_avx512_bf16, features.avx512_bf16},
    {&kernels_avx512, features.avx512},
    {&kernels_avx_vnni, features.avx_vnni},
    {&kernels_avx2, features.avx2},
    {&kernels_portable, true},
};
#elif defined(__aarch64__)
const Candidate candidates[] = {
    {&kernels_neon_i8mm, features.i8mm},
    {&kernels_neon, features.dot_products},
    {&kernels_neon_v8, true},
    {&kernels_portable, true},
};
#else
const Candidate candidates[] = {{&kernels_portable, true}};
#endif

} // namespace

const KernelSet * find_kernels(const char * name) {
    for (const Candidate & candidate : candidates) {
        // the portable kernels are slower than ggml's on old processors, so they are used only by name
        const bool wanted =
            name ? std::strcmp(name, candidate.kernels->name) == 0 : candidate.kernels != &kernels_portable;
        if (candidate.runs && wanted) return candidate.kernels;
    }
    return nullptr;
}

} // namespace svc
