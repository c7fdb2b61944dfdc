#define SVC_ISA portable
#define SVC_LANES "kernels/lanes_portable.h"
#include "kernels/kernels-inl.h"

namespace svc {

extern const KernelSet kernels_portable;
constexpr KernelSet kernels_portable = portable::kernel_set("portable");

} // namespace svc
