#define SVC_ISA avx2
#include "kernels/kernels.h"
#include "kernels/lanes_avx2.h"
#include "kernels/member.h"

#include "kernels/product.inc"
#include "kernels/multiply.inc"
#include "kernels/attention.inc"
#include "kernels/stack.inc"
#include "kernels/flow.inc"
#include "kernels/vae.inc"

namespace svc {

extern const KernelSet kernels_avx2;
const KernelSet kernels_avx2 = {
    "avx2",
    false,
    avx2::prepare,
    avx2::multiply_job,
    avx2::local_stack,
    avx2::cached_stack,
    avx2::flow,
    avx2::snake,
    avx2::snake_depthwise,
    true
};

} // namespace svc
