#define SVC_ISA avx2
#define SVC_LANES "cpu-kernels/lanes_avx2.h"
#include "cpu-kernels/kernels-inl.h"

namespace svc {

extern const KernelSet kernels_avx2;
constexpr KernelSet kernels_avx2 = avx2::kernel_set("avx2", {}, true);

} // namespace svc
