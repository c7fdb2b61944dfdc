#define SVC_ISA avx512
#define SVC_LANES "cpu-kernels/lanes_avx512.h"
#include "cpu-kernels/kernels-inl.h"

namespace svc {

extern const KernelSet kernels_avx512;
constexpr KernelSet kernels_avx512 = avx512::kernel_set("avx512");

} // namespace svc
