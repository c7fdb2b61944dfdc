// The names of simt.h as PTX. Compiled by clang for CUDA without any of NVIDIA's headers or libraries.
#pragma once

// Without a C library for the device, these are the compiler's own.
typedef __SIZE_TYPE__ size_t;
typedef __INT8_TYPE__ int8_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;

// Before a loop.
#define SVC_PRAGMA(text) _Pragma(#text)
#define SVC_UNROLL SVC_PRAGMA(unroll)
#define SVC_UNROLL_BY(count) SVC_PRAGMA(unroll count)
// A kernel takes one plain struct. Its launch has no more threads than named here; the compiler leaves registers for
// `blocks` blocks on a multiprocessor.
#define SVC_KERNEL(name, Job, threads, blocks)                                                                         \
    extern "C" __attribute__((global)) __attribute__((launch_bounds(threads, blocks))) void name(                      \
        const __attribute__((grid_constant)) Job job                                                                   \
    )

// All functions below and those of the kernels run on the device.
#pragma clang force_cuda_host_device begin

extern __attribute__((device)) __attribute__((shared)) __attribute__((aligned(1024))) char svc_shared[];

namespace svc::cuda {

inline int thread_index() { return __nvvm_read_ptx_sreg_tid_x(); }
inline int block_x() { return __nvvm_read_ptx_sreg_ctaid_x(); }
inline int block_y() { return __nvvm_read_ptx_sreg_ctaid_y(); }
inline int block_z() { return __nvvm_read_ptx_sreg_ctaid_z(); }
inline int grid_x() { return __nvvm_read_ptx_sreg_nctaid_x(); }
inline int grid_y() { return __nvvm_read_ptx_sreg_nctaid_y(); }
inline char * shared_memory() { return svc_shared; }

inline void barrier() { __syncthreads(); }
inline void warp_barrier() { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }

inline uint32_t shuffle_bits(uint32_t value, int mask) {
    uint32_t out;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(out) : "r"(value), "r"(mask));
    return out;
}
inline float shuffle_xor(float value, int mask) {
    return __builtin_bit_cast(float, shuffle_bits(__builtin_bit_cast(uint32_t, value), mask));
}
inline float shuffle(float value, int lane) {
    uint32_t out;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;"
                 : "=r"(out)
                 : "r"(__builtin_bit_cast(uint32_t, value)), "r"(lane));
    return __builtin_bit_cast(float, out);
}

inline uint32_t shared_address(const void * pointer) {
    return static_cast<uint32_t>(reinterpret_cast<size_t>((__attribute__((address_space(3)))
                                                           const char *)(const char *)(pointer)));
}

// Copies without registers; 16 bytes bypass the L1 cache.
template <int Bytes>
inline void copy_async(void * shared, const void * global) {
    static_assert(Bytes == 16 || Bytes == 8 || Bytes == 4);
    if constexpr (Bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(shared)), "l"(global) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(shared)), "l"(global), "n"(Bytes)
                     : "memory");
}
inline void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until at most `pending` (0 to 7) groups of this thread are under way.
inline void copy_wait(int pending) {
    switch (pending) {
    case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
    case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
    case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
    case 3: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
    case 4: asm volatile("cp.async.wait_group 4;" ::: "memory"); break;
    case 5: asm volatile("cp.async.wait_group 5;" ::: "memory"); break;
    case 6: asm volatile("cp.async.wait_group 6;" ::: "memory"); break;
    default: asm volatile("cp.async.wait_group 7;" ::: "memory"); break;
    }
}

// c[16][8] += a[16][32] · b[32][8]
inline void mma_i8(int32_t (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// c[16][8] += a[16][16] · b[16][8]
inline void mma_bf16(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// The same in float16.
inline void mma_f16(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// Four 8×8 matrices of 16-bit values; lane i names row i % 8 of matrix i / 8 in shared memory.
inline void load_matrix(uint32_t (&fragment)[4], const void * row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
                 : "r"(shared_address(row))
                 : "memory");
}

inline int atomic_add(int * counter, int value) {
    int before;
    asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], %2;" : "=r"(before) : "l"(counter), "r"(value) : "memory");
    return before;
}
inline void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

#ifdef SVC_DEPENDENT_LAUNCH
// The next kernel may occupy free room, and load what does not depend on this one.
inline void dependents_may_start() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
// All kernels before this one are complete, and what they wrote is visible.
inline void wait_for_inputs() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
#else
inline void dependents_may_start() {}
inline void wait_for_inputs() {}
#endif

// Two floats as bfloat16, rounded to even; the first is the lower half.
inline uint32_t bfloat_pair(float low, float high) {
    uint32_t out;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(out) : "f"(high), "f"(low));
    return out;
}
// The same as float16, at most its largest number.
inline uint32_t half_pair(float low, float high) {
    constexpr float most = 65504.0f;
    low = low > most ? most : low < -most ? -most : low;
    high = high > most ? most : high < -most ? -most : high;
    uint32_t out;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(out) : "f"(high), "f"(low));
    return out;
}
inline float exp2_fast(float x) { return __nvvm_ex2_approx_f(x); }
inline float reciprocal(float x) { return __nvvm_rcp_rn_f(x); }
inline float root(float x) { return __nvvm_sqrt_rn_f(x); }
inline float sine_fast(float x) { return __nvvm_sin_approx_f(x); }
inline float nearest(float x) {
    float out;
    asm("cvt.rni.f32.f32 %0, %1;" : "=f"(out) : "f"(x));
    return out;
}
inline float float_of_half(uint16_t bits) {
    float out;
    asm("cvt.f32.f16 %0, %1;" : "=f"(out) : "h"(bits));
    return out;
}

} // namespace svc::cuda
