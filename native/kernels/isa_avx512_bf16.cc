#define SVC_ISA avx512_bf16
#define SVC_BF16_PAIRS
#include "kernels/kernels.h"
#include "kernels/lanes_avx512.h"
#include "kernels/member.h"

#include "kernels/product.inc"
#include "kernels/multiply.inc"
#include "kernels/attention.inc"
#include "kernels/stack.inc"
#include "kernels/flow.inc"
#include "kernels/vae.inc"
#include "kernels/kernel_set.inc"

namespace svc {

extern const KernelSet kernels_avx512_bf16;
constexpr KernelSet kernels_avx512_bf16 = avx512_bf16::kernel_set("avx512_bf16");

} // namespace svc
