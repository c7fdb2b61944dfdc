#define SVC_ISA avx_vnni
#define SVC_VNNI _mm256_dpbusd_avx_epi32
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

extern const KernelSet kernels_avx_vnni;
const KernelSet kernels_avx_vnni = {
    "avx_vnni",
    false,
    avx_vnni::prepare,
    avx_vnni::multiply_job,
    avx_vnni::local_stack,
    avx_vnni::cached_stack,
    avx_vnni::flow,
    avx_vnni::snake,
    avx_vnni::snake_depthwise
};

} // namespace svc
