#define SVC_ISA avx_vnni
#define SVC_VNNI _mm256_dpbusd_avx_epi32
#define SVC_LANES "cpu-kernels/lanes_avx2.h"
#include "cpu-kernels/kernels-inl.h"

namespace svc {

extern const KernelSet kernels_avx_vnni;
constexpr KernelSet kernels_avx_vnni = avx_vnni::kernel_set("avx_vnni");

} // namespace svc
