// The tile registers of Intel AMX: eight matrices of up to 16 rows of 64 bytes, each thread's own. Written in assembly,
// because the intrinsics of GCC 12 don't tell the compiler that these instructions read memory.
#pragma once
#include <cstddef>

#include "cpu-kernels/tile_shapes.h"

namespace svc {
namespace SVC_ISA {

// Gives the registers of this thread their shapes and sets them to zero. A thread with shapes has 8 KB more to save when it
// is interrupted, until it releases them.
inline void tiles_shape(const TileShapes & shapes) { asm volatile("ldtilecfg %0" : : "m"(shapes)); }
inline void tiles_release() { asm volatile("tilerelease"); }

template <int Tile>
inline void tile_zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(Tile));
}
// Rows are `stride` bytes apart.
template <int Tile>
inline void tile_load(const void * from, size_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(Tile) : "memory");
}
template <int Tile>
inline void tile_store(void * to, size_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(Tile) : "memory");
}
// C[c][r] += the sum over k of A[c][k] · B[k / 4][r][k % 4], of signed bytes
template <int C, int A, int B>
inline void tile_dot_i8() {
    asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(C), "i"(A), "i"(B));
}
// C[c][r] += the sum over k of A[c][k] · B[k / 2][r][k % 2], of bfloat16
template <int C, int A, int B>
inline void tile_dot_bf16() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(C), "i"(A), "i"(B));
}

} // namespace SVC_ISA
} // namespace svc
