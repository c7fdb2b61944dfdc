#define SVC_ISA neon_v8
#define SVC_PRODUCTS "cpu-kernels/product_neon-inl.h"
#define SVC_LANES "cpu-kernels/dots_neon_v8.h"
#include "cpu-kernels/kernels-inl.h"

namespace svc {

extern const KernelSet kernels_neon_v8;
constexpr KernelSet kernels_neon_v8 = neon_v8::kernel_set("neon_v8", neon_v8::byte_order);

} // namespace svc
