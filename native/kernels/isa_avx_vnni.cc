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
#include "kernels/kernel_set.inc"

namespace svc {

extern const KernelSet kernels_avx_vnni;
constexpr KernelSet kernels_avx_vnni = avx_vnni::kernel_set("avx_vnni");

} // namespace svc
