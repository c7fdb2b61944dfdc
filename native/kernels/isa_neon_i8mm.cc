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

namespace svc {

extern const KernelSet kernels_neon_i8mm;
const KernelSet kernels_neon_i8mm = {
    "neon_i8mm",
    false,
    neon_i8mm::prepare,
    neon_i8mm::multiply_job,
    neon_i8mm::local_stack,
    neon_i8mm::cached_stack,
    neon_i8mm::flow,
    neon_i8mm::snake,
    neon_i8mm::snake_depthwise,
    false,
    neon_i8mm::byte_order
};

} // namespace svc
