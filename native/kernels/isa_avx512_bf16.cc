#define SVC_ISA avx512_bf16
#define SVC_BF16_PAIRS
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

extern const KernelSet kernels_avx512_bf16;
const KernelSet kernels_avx512_bf16 = {
    "avx512_bf16",
    true,
    avx512_bf16::prepare,
    avx512_bf16::multiply_job,
    avx512_bf16::local_stack,
    avx512_bf16::cached_stack,
    avx512_bf16::flow,
    avx512_bf16::snake,
    avx512_bf16::snake_depthwise
};

} // namespace svc
