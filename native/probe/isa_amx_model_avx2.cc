// The kernels for AMX on a model of its registers, with the vectors of AVX2: for processors without AVX-512.
#define SVC_ISA amx_model_avx2
#define SVC_BF16_PAIRS
#define SVC_TILES "probe/tile_model.h"
#define SVC_LANES "probe/lanes_avx2_model.h"
#include "cpu-kernels/kernels-inl.h"

namespace svc {

extern const KernelSet kernels_amx_model_avx2;
constexpr KernelSet kernels_amx_model_avx2 = amx_model_avx2::kernel_set("amx_model_avx2", {4, false});

} // namespace svc
