// What kernels are written in: the same names mean PTX instructions on a GPU and the model of them on a processor.
//
//   thread_index(), block_x(), block_y(), block_z(), grid_x(), grid_y()   where a thread is
//   shared_memory()                                             the block's dynamic shared memory
//   barrier(), warp_barrier()
//   shuffle_xor(value, mask), shuffle(value, lane)
//   copy_async<bytes>(shared, global), copy_commit(), copy_wait(pending)
//   mma_i8(c, a, b), mma_bf16(c, a, b), mma_f16(c, a, b), load_matrix(fragment, row)
//   atomic_add(counter, value), fence()
//   dependents_may_start(), wait_for_inputs()                   programmatic dependent launch
//   exp2_fast(x), sine_fast(x), reciprocal(x), root(x), nearest(x), float_of_half(bits), bfloat_pair(low, high), half_pair(low, high)
//
//   SVC_UNROLL, SVC_UNROLL_BY(count)                            before a loop
//   SVC_KERNEL(name, Job, threads, blocks) { ... job ... }      at most so many threads; registers for so many blocks
#pragma once
#ifdef __CUDA_ARCH__
#include "cuda/simt/gpu.h"
#else
#include "cuda/simt/model.h"
#endif
