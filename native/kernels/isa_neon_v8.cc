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

namespace svc {

extern const KernelSet kernels_neon_v8;
const KernelSet kernels_neon_v8 = {
    "neon_v8",
    false,
    neon_v8::prepare,
    neon_v8::multiply_job,
    neon_v8::local_stack,
    neon_v8::cached_stack,
    neon_v8::flow,
    neon_v8::snake,
    neon_v8::snake_depthwise,
    false,
    neon_v8::byte_order
};

} // namespace svc
