#define SVC_ISA neon_i8mm
#define SVC_PRODUCTS "cpu-kernels/product_neon-inl.h"
#define SVC_LANES "cpu-kernels/dots_neon_i8mm.h"
#include "cpu-kernels/kernels-inl.h"

namespace svc {

extern const KernelSet kernels_neon_i8mm;
constexpr KernelSet kernels_neon_i8mm = neon_i8mm::kernel_set("neon_i8mm", neon_i8mm::byte_order);

} // namespace svc
