#define SVC_ISA amx
#define SVC_BF16_PAIRS
#define SVC_TILES "cpu-kernels/tile_registers.h"
#define SVC_LANES "cpu-kernels/lanes_avx512.h"
#include "cpu-kernels/kernels-inl.h"

namespace svc {

extern const KernelSet kernels_amx;
void amx_products(int rounds);
constexpr KernelSet kernels_amx = amx::kernel_set("amx", {4, false});

// For integer_peak.cc: in each round, four products of 16 × 16 × 64 bytes.
void amx_products(int rounds) {
    amx::tiles_shape(amx::bfloat_shapes);
    for (int round = 0; round < rounds; round++) {
        amx::tile_dot_i8<0, 4, 6>();
        amx::tile_dot_i8<1, 4, 7>();
        amx::tile_dot_i8<2, 5, 6>();
        amx::tile_dot_i8<3, 5, 7>();
    }
    amx::tiles_release();
}

} // namespace svc
