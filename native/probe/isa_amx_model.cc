// The kernels for AMX on a model of its registers.
#define SVC_ISA amx_model
#define SVC_BF16_PAIRS
#define SVC_TILES "probe/tile_model.h"
#define SVC_LANES "cpu-kernels/lanes_avx512.h"
#include "cpu-kernels/kernels-inl.h"

namespace svc {

extern const KernelSet kernels_amx_model;
constexpr KernelSet kernels_amx_model = amx_model::kernel_set("amx_model", {4, false});

} // namespace svc
