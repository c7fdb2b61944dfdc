#include <cstring>

#include "kernels/kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace svc {

extern const KernelSet kernels_portable;
#if defined(__x86_64__) || defined(_M_X64)
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

#if defined(__x86_64__) && !defined(_MSC_VER)
bool has_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vnni");
}

bool has_avx2() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}

// not every compiler's __builtin_cpu_supports knows it
bool has_avx_vnni() {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return has_avx2() && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) && (eax & 1u << 4) != 0;
}

const Candidate candidates[] = {
    {&kernels_avx512_bf16, has_avx512() && __builtin_cpu_supports("avx512bf16")},
    {&kernels_avx512, has_avx512()},
    {&kernels_avx_vnni, has_avx_vnni()},
    {&kernels_avx2, has_avx2()},
    {&kernels_portable, true},
};
#elif defined(__aarch64__)
#if defined(__linux__)
bool has_dot_products() { return getauxval(AT_HWCAP) & (1UL << 20); } // HWCAP_ASIMDDP
bool has_i8mm() { return getauxval(AT_HWCAP2) & (1UL << 13); }        // HWCAP2_I8MM
#else
bool has(const char * feature) {
    int value = 0;
    size_t size = sizeof(value);
    return sysctlbyname(feature, &value, &size, nullptr, 0) == 0 && value != 0;
}
bool has_dot_products() { return has("hw.optional.arm.FEAT_DotProd"); }
bool has_i8mm() { return has("hw.optional.arm.FEAT_I8MM"); }
#endif

const Candidate candidates[] = {
    {&kernels_neon_i8mm, has_i8mm()},
    {&kernels_neon, has_dot_products()},
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
