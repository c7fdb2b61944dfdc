#define SVC_ISA avx2
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

extern const KernelSet kernels_avx2;
constexpr KernelSet kernels_avx2 = avx2::kernel_set("avx2", {}, true);

} // namespace svc
