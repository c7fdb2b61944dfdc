// The kernels that only Hopper has, by name. Compiled like kernels.cu.
#include "cuda/kernels/warpgroup_product.h"

using namespace svc::cuda;

// rows and columns of a block
#define WARPGROUP(format, name, rows, columns)                                                                         \
    SVC_KERNEL(warpgroup_##name##_##rows##_##columns, ProductJob, rows * 2, 1) {                                       \
        warpgroup_product<format, rows, columns, false>(job);                                                          \
    }
#define GATED_WARPGROUP(format, name, rows, columns)                                                                   \
    SVC_KERNEL(warpgroup_##name##_gated_##rows##_##columns, ProductJob, rows * 2, 1) {                                 \
        warpgroup_product<format, rows, columns, true>(job);                                                           \
    }
#define WARPGROUPS(WARPGROUP, format, name)                                                                            \
    WARPGROUP(format, name, 64, 48)                                                                                    \
    WARPGROUP(format, name, 64, 96)                                                                                    \
    WARPGROUP(format, name, 64, 176) WARPGROUP(format, name, 128, 96) WARPGROUP(format, name, 128, 176)

WARPGROUPS(WARPGROUP, Bfloats, bf16)
WARPGROUPS(GATED_WARPGROUP, Bfloats, bf16)
WARPGROUPS(WARPGROUP, Mixed, mixed)
WARPGROUPS(GATED_WARPGROUP, Mixed, mixed)
// of the audio VAE
WARPGROUPS(WARPGROUP, Halves, f16)
