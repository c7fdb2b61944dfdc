#define SVC_ISA portable
#define SVC_LANES "cpu-kernels/lanes_portable.h"
#include "cpu-kernels/kernels-inl.h"

namespace svc {

extern const KernelSet kernels_portable;
constexpr KernelSet kernels_portable = portable::kernel_set("portable");

} // namespace svc
