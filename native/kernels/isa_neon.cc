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

namespace svc {

extern const KernelSet kernels_neon;
const KernelSet kernels_neon = {
    "neon",
    false,
    neon::prepare,
    neon::multiply_job,
    neon::local_stack,
    neon::cached_stack,
    neon::flow,
    neon::snake,
    neon::snake_depthwise,
    false,
    neon::byte_order
};

} // namespace svc
