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

namespace svc {

extern const KernelSet kernels_portable;
const KernelSet kernels_portable = {
    "portable",
    false,
    portable::prepare,
    portable::multiply_job,
    portable::local_stack,
    portable::cached_stack,
    portable::flow,
    portable::snake,
    portable::snake_depthwise
};

} // namespace svc
