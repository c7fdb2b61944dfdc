// All kernels of an instruction set, in the order in which they use each other. Included once by each isa_*.cc, after
// SVC_ISA (its namespace), SVC_LANES (what lanes_portable.h describes) and the macros of its features: SVC_TILES for those of
// product_amx-inl.h is the header with the tile registers.
#include "cpu-kernels/kernels.h"
#include SVC_LANES
#ifdef SVC_TILES
#include SVC_TILES
#endif
#include "cpu-kernels/member.h"

#include "cpu-kernels/product-inl.h"
#include "cpu-kernels/multiply-inl.h"
#include "cpu-kernels/attention-inl.h"
#include "cpu-kernels/stack-inl.h"
#include "cpu-kernels/flow-inl.h"
#include "cpu-kernels/vae-inl.h"

namespace svc {
namespace SVC_ISA {

// A constant expression, so that no code of the instruction set runs when the addon is loaded.
constexpr KernelSet kernel_set(const char * name, const ByteOrder & byte_order = {}, bool slow_bytes = false) {
    return {
        .name = name,
#ifdef SVC_BF16_PAIRS
        .bf16_pairs = true,
#else
        .bf16_pairs = false,
#endif
#ifdef SVC_TILES
        .tiles = true,
#else
        .tiles = false,
#endif
        .prepare = prepare,
        .multiply = multiply_job,
        .stack = stack,
        .flow = flow,
        .snake = snake,
        .snake_depthwise = snake_depthwise,
        .slow_bytes = slow_bytes,
        .byte_order = byte_order,
    };
}

} // namespace SVC_ISA
} // namespace svc
