#define SVC_ISA avx512_bf16
#define SVC_BF16_PAIRS
#define SVC_LANES "cpu-kernels/lanes_avx512.h"
#include "cpu-kernels/kernels-inl.h"

namespace svc {

extern const KernelSet kernels_avx512_bf16;
constexpr KernelSet kernels_avx512_bf16 = avx512_bf16::kernel_set("avx512_bf16");

} // namespace svc
