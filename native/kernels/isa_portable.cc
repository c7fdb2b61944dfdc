#define SVC_ISA portable
#include "kernels/kernels.h"
#include "kernels/lanes_portable.h"
#include "kernels/team_calls.h"

#include "kernels/product.inc"
#include "kernels/member.inc"
#include "kernels/lora.inc"
#include "kernels/stack.inc"
#include "kernels/flow.inc"
#include "kernels/vae.inc"

namespace svc {

extern const KernelSet kernels_portable;
const KernelSet kernels_portable = {"portable", false, portable::prepare, portable::product, portable::adapt_product, portable::local_stack, portable::cached_stack, portable::flow, portable::snake, portable::snake_depthwise};

} // namespace svc
