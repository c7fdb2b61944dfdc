#define SVC_ISA portable
#include "kernels/kernels.h"
#include "kernels/lanes_portable.h"
#include "kernels/member.h"

#include "kernels/product.inc"
#include "kernels/multiply.inc"
#include "kernels/attention.inc"
#include "kernels/stack.inc"
#include "kernels/flow.inc"
#include "kernels/vae.inc"
#include "kernels/kernel_set.inc"

namespace svc {

extern const KernelSet kernels_portable;
constexpr KernelSet kernels_portable = portable::kernel_set("portable");

} // namespace svc
