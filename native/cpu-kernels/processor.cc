#include "cpu-kernels/processor.h"

#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
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

// All zero for a leaf that the processor doesn't have.
ProcessorRegisters::Leaf cpuid(unsigned leaf, unsigned subleaf) {
    ProcessorRegisters::Leaf found;
    if (!__get_cpuid_count(leaf, subleaf, &found.eax, &found.ebx, &found.ecx, &found.edx)) return {};
    return found;
}

constexpr bool has_bits(unsigned value, unsigned wanted) { return (value & wanted) == wanted; }
constexpr unsigned bit(int index) { return 1u << index; }

constexpr unsigned osxsave = bit(27);

unsigned read_kept_registers() {
    unsigned low, high;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

// Intel's processors of family 6 start a dot product of bfloat16 every other cycle, and two multiplications of float32 in
// each. Measured on a Xeon; AMD's have twice the speed with bfloat16.
bool is_intel_family_6(const ProcessorRegisters & registers) {
    const ProcessorRegisters::Leaf & vendor = registers.vendor;
    const bool intel = vendor.ebx == 0x756e6547 && vendor.edx == 0x49656e69 && vendor.ecx == 0x6c65746e; // GenuineIntel
    return intel && (registers.basic.eax >> 8 & 15) == 6;
}

} // namespace

ProcessorFeatures features_of(const ProcessorRegisters & registers) {
    const ProcessorRegisters::Leaf &basic = registers.basic, &extended = registers.extended, &more = registers.more;
    if (!has_bits(basic.ecx, osxsave)) return {};

    const bool keeps_vectors = has_bits(registers.kept, bit(1) | bit(2));
#ifdef __APPLE__
    // macOS begins to keep them when a thread first uses them
    const bool keeps_avx512 = keeps_vectors;
#else
    const bool keeps_avx512 = keeps_vectors && has_bits(registers.kept, bit(5) | bit(6) | bit(7));
#endif
    const bool keeps_tiles = has_bits(registers.kept, bit(17) | bit(18));

    ProcessorFeatures features;
    constexpr unsigned fma = bit(12), avx = bit(28), f16c = bit(29), avx2 = bit(5);
    features.avx2 = keeps_vectors && has_bits(basic.ecx, fma | avx | f16c) && has_bits(extended.ebx, avx2);
    features.avx_vnni = features.avx2 && has_bits(more.eax, bit(4));
    constexpr unsigned f = bit(16), dq = bit(17), bw = bit(30), vl = bit(31), vnni = bit(11);
    features.avx512 =
        features.avx2 && keeps_avx512 && has_bits(extended.ebx, f | dq | bw | vl) && has_bits(extended.ecx, vnni);
    features.avx512_bf16 = features.avx512 && has_bits(more.eax, bit(5));
    features.fast_bf16 = features.avx512_bf16 && !is_intel_family_6(registers);
    constexpr unsigned amx_bf16 = bit(22), amx_tile = bit(24), amx_int8 = bit(25);
    features.amx = features.avx512_bf16 && keeps_tiles && has_bits(extended.edx, amx_bf16 | amx_tile | amx_int8);
    return features;
}

ProcessorFeatures processor_features() {
    ProcessorRegisters registers{
        .vendor = cpuid(0, 0),
        .basic = cpuid(1, 0),
        .extended = cpuid(7, 0),
        .more = cpuid(7, 1),
    };
    if (has_bits(registers.basic.ecx, osxsave)) registers.kept = read_kept_registers();
    return features_of(registers);
}

bool enable_tiles() {
#ifdef __linux__
    constexpr long request_permission = 0x1023, tile_data = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
    // Windows enables them when a thread first uses them
    return true;
#endif
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

std::vector<KernelCandidate> kernel_candidates(const ProcessorFeatures & features) {
    return {
#if defined(__x86_64__)
        {"amx", features.amx},
        // else the audio VAE is faster in float32
        {"avx512_bf16", features.avx512_bf16, !features.fast_bf16},
        {"avx512", features.avx512},
        {"avx_vnni", features.avx_vnni},
        {"avx2", features.avx2},
#elif defined(__aarch64__)
        {"neon_i8mm", features.i8mm},
        {"neon", features.dot_products},
        {"neon_v8", true},
#endif
        // slower than ggml's on old processors
        {"portable", true, true},
    };
}

const char * best_kernels(const ProcessorFeatures & features) {
    for (const KernelCandidate & candidate : kernel_candidates(features)) {
        if (candidate.runs && !candidate.by_name_only) return candidate.name;
    }
    return "";
}

ProcessorFeatures granted_features() {
    ProcessorFeatures features = processor_features();
#if defined(__x86_64__)
    features.amx = features.amx && enable_tiles();
#endif
    return features;
}

} // namespace svc
