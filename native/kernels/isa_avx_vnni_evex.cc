// The kernels of AVX-VNNI for processors that have its instructions only in the encoding of AVX-512.
#define SVC_ISA avx_vnni_evex
#define SVC_VNNI _mm256_dpbusd_epi32
#define SVC_LANES "kernels/lanes_avx2.h"
#include "kernels/kernels-inl.h"

namespace svc {

extern const KernelSet kernels_avx_vnni_evex;
constexpr KernelSet kernels_avx_vnni_evex = avx_vnni_evex::kernel_set("avx_vnni");

} // namespace svc
