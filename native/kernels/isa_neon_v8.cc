#define SVC_ISA neon_v8
#define SVC_PRODUCTS "kernels/product_neon.inc"
#include "kernels/kernels.h"
#include "kernels/dots_neon_v8.h"
#include "kernels/member.h"

#include "kernels/product.inc"
#include "kernels/multiply.inc"
#include "kernels/attention.inc"
#include "kernels/stack.inc"
#include "kernels/flow.inc"
#include "kernels/vae.inc"
#include "kernels/kernel_set.inc"

namespace svc {

extern const KernelSet kernels_neon_v8;
constexpr KernelSet kernels_neon_v8 = neon_v8::kernel_set("neon_v8", neon_v8::byte_order);

} // namespace svc
