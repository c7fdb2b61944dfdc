#include "kernels/processor.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#if defined(__linux__)
#include <sys/auxv.h>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#elif defined(_WIN32)
#include <windows.h>
#endif
#endif

namespace svc {

#if defined(__x86_64__)
namespace {

struct Registers {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

// All zero for a leaf that the processor doesn't have.
Registers cpuid(unsigned leaf, unsigned subleaf) {
    Registers found;
    if (!__get_cpuid_count(leaf, subleaf, &found.eax, &found.ebx, &found.ecx, &found.edx)) return {};
    return found;
}

constexpr bool has_bits(unsigned value, unsigned wanted) { return (value & wanted) == wanted; }
constexpr unsigned bit(int index) { return 1u << index; }

// The registers that the operating system keeps for each thread: XCR0.
unsigned kept_registers() {
    unsigned low, high;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

} // namespace

ProcessorFeatures processor_features() {
    const Registers basic = cpuid(1, 0), extended = cpuid(7, 0), more = cpuid(7, 1);
    constexpr unsigned fma = bit(12), osxsave = bit(27), avx = bit(28), f16c = bit(29);
    if (!has_bits(basic.ecx, osxsave)) return {};

    const unsigned kept = kept_registers();
    const bool keeps_vectors = has_bits(kept, bit(1) | bit(2));
#ifdef __APPLE__
    // macOS begins to keep them when a thread first uses them
    const bool keeps_avx512 = keeps_vectors;
#else
    const bool keeps_avx512 = keeps_vectors && has_bits(kept, bit(5) | bit(6) | bit(7));
#endif

    ProcessorFeatures features;
    constexpr unsigned avx2 = bit(5);
    features.avx2 = keeps_vectors && has_bits(basic.ecx, fma | avx | f16c) && has_bits(extended.ebx, avx2);
    features.avx_vnni = features.avx2 && has_bits(more.eax, bit(4));
    constexpr unsigned f = bit(16), dq = bit(17), bw = bit(30), vl = bit(31), vnni = bit(11);
    features.avx512 =
        features.avx2 && keeps_avx512 && has_bits(extended.ebx, f | dq | bw | vl) && has_bits(extended.ecx, vnni);
    features.avx512_bf16 = features.avx512 && has_bits(more.eax, bit(5));
    return features;
}
#elif defined(__aarch64__) && defined(__linux__)
ProcessorFeatures processor_features() {
    constexpr unsigned long hwcap_asimddp = 1UL << 20, hwcap2_i8mm = 1UL << 13;
    return {
        .dot_products = (getauxval(AT_HWCAP) & hwcap_asimddp) != 0,
        .i8mm = (getauxval(AT_HWCAP2) & hwcap2_i8mm) != 0,
    };
}
#elif defined(__aarch64__) && defined(__APPLE__)
namespace {

bool has(const char * feature) {
    int value = 0;
    size_t size = sizeof(value);
    return sysctlbyname(feature, &value, &size, nullptr, 0) == 0 && value != 0;
}

} // namespace

ProcessorFeatures processor_features() {
    return {.dot_products = has("hw.optional.arm.FEAT_DotProd"), .i8mm = has("hw.optional.arm.FEAT_I8MM")};
}
#elif defined(__aarch64__) && defined(_WIN32)
ProcessorFeatures processor_features() {
    // PF_ARM_V82_DP_INSTRUCTIONS_AVAILABLE, PF_ARM_V82_I8MM_INSTRUCTIONS_AVAILABLE: not in every header
    constexpr DWORD dot_products = 43, i8mm = 66;
    return {
        .dot_products = IsProcessorFeaturePresent(dot_products) != 0,
        .i8mm = IsProcessorFeaturePresent(i8mm) != 0,
    };
}
#else
ProcessorFeatures processor_features() { return {}; }
#endif

} // namespace svc
