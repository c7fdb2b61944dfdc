#define SVC_ISA neon
#define SVC_PRODUCTS "cpu-kernels/product_neon-inl.h"
#define SVC_LANES "cpu-kernels/dots_neon.h"
#include "cpu-kernels/kernels-inl.h"

namespace svc {

extern const KernelSet kernels_neon;
constexpr KernelSet kernels_neon = neon::kernel_set("neon", neon::byte_order);

} // namespace svc
