#define SVC_ISA neon_i8mm
#define SVC_PRODUCTS "kernels/product_neon.inc"
#include "kernels/kernels.h"
#include "kernels/dots_neon_i8mm.h"
#include "kernels/member.h"

#include "kernels/product.inc"
#include "kernels/multiply.inc"
#include "kernels/attention.inc"
#include "kernels/stack.inc"
#include "kernels/flow.inc"
#include "kernels/vae.inc"
#include "kernels/kernel_set.inc"

namespace svc {

extern const KernelSet kernels_neon_i8mm;
constexpr KernelSet kernels_neon_i8mm = neon_i8mm::kernel_set("neon_i8mm", neon_i8mm::byte_order);

} // namespace svc
