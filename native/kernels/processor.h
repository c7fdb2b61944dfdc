// What this processor and its operating system can run. Read from them directly: `__builtin_cpu_supports` answers no to
// everything where the compiler's run-time library is not initialised yet or is another compiler's.
#pragma once

namespace svc {

#if defined(__x86_64__)
struct ProcessorFeatures {
    bool avx2 = false; // with FMA and F16C
    bool avx_vnni = false;
    bool avx512 = false; // F, BW, VL, DQ and VNNI
    bool avx512_bf16 = false;
};
#elif defined(__aarch64__)
struct ProcessorFeatures {
    bool dot_products = false;
    bool i8mm = false;
};
#else
struct ProcessorFeatures {};
#endif

ProcessorFeatures processor_features();

} // namespace svc
