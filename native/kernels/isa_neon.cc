#define SVC_ISA neon
#define SVC_PRODUCTS "kernels/product_neon.inc"
#include "kernels/kernels.h"
#include "kernels/dots_neon.h"
#include "kernels/member.h"

#include "kernels/product.inc"
#include "kernels/multiply.inc"
#include "kernels/attention.inc"
#include "kernels/stack.inc"
#include "kernels/flow.inc"
#include "kernels/vae.inc"
#include "kernels/kernel_set.inc"

namespace svc {

extern const KernelSet kernels_neon;
constexpr KernelSet kernels_neon = neon::kernel_set("neon", neon::byte_order);

} // namespace svc
