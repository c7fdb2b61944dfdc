#define SVC_ISA neon
#include "kernels/kernels.h"
#include "kernels/lanes_neon.h"
#include "kernels/team_calls.h"

#include "kernels/product.inc"
#include "kernels/member.inc"
#include "kernels/lora.inc"
#include "kernels/stack.inc"
#include "kernels/flow.inc"
#include "kernels/vae.inc"

namespace svc {

extern const KernelSet kernels_neon;
const KernelSet kernels_neon = {"neon", false, neon::prepare, neon::product, neon::adapt_product, neon::local_stack, neon::cached_stack, neon::flow, neon::snake, neon::snake_depthwise};

} // namespace svc
