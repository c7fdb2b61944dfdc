// More names for kernels: products of a warpgroup, which Hopper has (compute capability 9.0, module sm_90a).
//
//   warpgroup_bf16<columns>(y, a, b), warpgroup_f16<columns>(y, a, b)   y[64][columns] += a[64][16] · b[16][columns]
//   warpgroup_fence()             before the first product, and after a thread has written what products read or add to
//   warpgroup_commit(), warpgroup_wait(pending)   as with copies; y and a belong to the products until they are awaited
//   matrix_fence()                makes what this thread wrote into shared memory visible to products, behind a barrier
//   describe_columns(shared)      b: columns of 32 values of 16 bits, 64 bytes each, from an address divisible by 512
//   column_place(column, chunk)   where a column's chunk of 8 values lies among them, in bytes
//
// Of y and a, each of the four warps has 16 rows, and its lanes have the fragments of mma_bf16. b is the first half of the
// blocks, or with 32 bytes added, the second.
#pragma once
#include "cuda/simt/simt.h"

namespace svc::cuda {

// The matrix unit reads shared memory without conflicts as neighboring columns have their chunks in another order: its
// swizzle of 64 bytes.
inline int column_place(int column, int chunk) { return column * 64 + (chunk ^ column / 2 % 4) * 16; }

} // namespace svc::cuda

#ifdef __CUDA_ARCH__
#include "cuda/simt/gpu_warpgroup.h"
#else
#include "cuda/simt/model_warpgroup.h"
#endif
