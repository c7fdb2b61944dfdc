#define SVC_ISA avx512
#include "kernels/kernels.h"
#include "kernels/lanes_avx512.h"
#include "kernels/member.h"

#include "kernels/product.inc"
#include "kernels/multiply.inc"
#include "kernels/attention.inc"
#include "kernels/stack.inc"
#include "kernels/flow.inc"
#include "kernels/vae.inc"

namespace svc {

extern const KernelSet kernels_avx512;
const KernelSet kernels_avx512 = {"avx512",
                                  false,
                                  avx512::prepare,
                                  avx512::multiply_job,
                                  avx512::local_stack,
                                  avx512::cached_stack,
                                  avx512::flow,
                                  avx512::snake,
                                  avx512::snake_depthwise};

} // namespace svc
