#include <cstring>

#include "kernels/kernels.h"
#include "kernels/team.h"
#include "kernels/team_calls.h"

#if defined(_MSC_VER)
#include <intrin.h>
#endif
#if defined(__linux__) && defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace svc {

void team_barrier(Team & team) { team.barrier(); }
int team_size(const Team & team) { return team.size(); }

extern const KernelSet kernels_portable;
#if defined(__x86_64__) || defined(_M_X64)
extern const KernelSet kernels_avx512_bf16;
extern const KernelSet kernels_avx512;
extern const KernelSet kernels_avx2;
#elif defined(__aarch64__)
extern const KernelSet kernels_neon;
#endif

namespace {

struct Candidate {
    const KernelSet * kernels;
    bool runs;
};

#if defined(__x86_64__) && !defined(_MSC_VER)
bool has_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vnni");
}

const Candidate candidates[] = {
    {&kernels_avx512_bf16, has_avx512() && __builtin_cpu_supports("avx512bf16")},
    {&kernels_avx512, has_avx512()},
    {&kernels_avx2, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c")},
    {&kernels_portable, true},
};
#elif defined(__aarch64__)
const Candidate candidates[] = {
#if defined(__linux__)
    {&kernels_neon, (getauxval(AT_HWCAP) & (1UL << 20)) != 0}, // HWCAP_ASIMDDP
#else
    {&kernels_neon, true},
#endif
    {&kernels_portable, true},
};
#else
const Candidate candidates[] = {{&kernels_portable, true}};
#endif

} // namespace

const KernelSet * find_kernels(const char * name) {
    for (const Candidate & candidate : candidates) {
        // the portable kernels are slower than ggml's on old processors, so they are used only by name
        const bool wanted = name ? std::strcmp(name, candidate.kernels->name) == 0 : candidate.kernels != &kernels_portable;
        if (candidate.runs && wanted) return candidate.kernels;
    }
    return nullptr;
}

} // namespace svc
