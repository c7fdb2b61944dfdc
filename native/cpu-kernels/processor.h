// What this processor and its operating system can run. Read from them directly: `__builtin_cpu_supports` answers no to
// everything where the compiler's run-time library is not initialised yet or is another compiler's.
#pragma once
#include <vector>

namespace svc {

#if defined(__x86_64__)
struct ProcessorFeatures {
    bool avx2 = false; // with FMA and F16C
    bool avx_vnni = false;
    bool avx512 = false; // F, BW, VL, DQ and VNNI
    bool avx512_bf16 = false;
    bool fast_bf16 = false; // whether a dot product of bfloat16 takes no longer than a float32 multiplication
    bool amx = false;       // tile registers with products of int8 and bfloat16
};
// What `cpuid` reports, by leaf, and the registers that the operating system keeps for each thread (XCR0).
struct ProcessorRegisters {
    struct Leaf {
        unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    };
    Leaf vendor, basic, extended, more; // 0, 1, 7, and 7 with subleaf 1
    unsigned kept = 0;
};
ProcessorFeatures features_of(const ProcessorRegisters & registers);
// Asks the operating system to keep tile registers for the threads of this process; false if it refuses. Afterwards, signal
// stacks of the process must have room for 8 KB more.
bool enable_tiles();
#elif defined(__aarch64__)
struct ProcessorFeatures {
    bool dot_products = false;
    bool i8mm = false;
};
#else
struct ProcessorFeatures {};
#endif

ProcessorFeatures processor_features();

// A kernel set for this architecture, whether or not it is compiled.
struct KernelCandidate {
    const char * name;
    bool runs; // on a processor with these features
    bool by_name_only = false;
};
// The fastest first.
std::vector<KernelCandidate> kernel_candidates(const ProcessorFeatures & features);
// The name of the fastest kernels; empty where ggml's are faster.
const char * best_kernels(const ProcessorFeatures & features);
// The features of this processor that the operating system grants; enables tiles.
ProcessorFeatures granted_features();

} // namespace svc
