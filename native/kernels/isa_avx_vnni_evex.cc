// The kernels of AVX-VNNI for processors that have its instructions only in the encoding of AVX-512.
#define SVC_ISA avx_vnni_evex
#define SVC_VNNI _mm256_dpbusd_epi32
#include "kernels/kernels.h"
#include "kernels/lanes_avx2.h"
#include "kernels/member.h"

#include "kernels/product.inc"
#include "kernels/multiply.inc"
#include "kernels/attention.inc"
#include "kernels/stack.inc"
#include "kernels/flow.inc"
#include "kernels/vae.inc"
#include "kernels/kernel_set.inc"

namespace svc {

extern const KernelSet kernels_avx_vnni_evex;
constexpr KernelSet kernels_avx_vnni_evex = avx_vnni_evex::kernel_set("avx_vnni");

} // namespace svc
