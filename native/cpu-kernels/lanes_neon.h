// 16 lanes on 64-bit Arm, as four quarters. Contract: lanes_portable.h.
#pragma once
#include <arm_neon.h>

#include <cstdint>
#include <cstring>

namespace svc {
namespace SVC_ISA {

struct F32x16 {
    float32x4_t v[4];
};
struct I32x16 {
    int32x4_t v[4];
};

constexpr int i8_offset = 0;

constexpr int registers = 8; // that hold an F32x16 or I32x16

#define SVC_EACH(expression)                                                                                           \
    for (int i = 0; i < 4; i++) {                                                                                      \
        expression;                                                                                                    \
    }
inline F32x16 f_set(float x) {
    F32x16 r;
    SVC_EACH(r.v[i] = vdupq_n_f32(x)) return r;
}
inline F32x16 f_zero() { return f_set(0); }
inline F32x16 f_load(const float * p) {
    F32x16 r;
    SVC_EACH(r.v[i] = vld1q_f32(p + 4 * i)) return r;
}
inline void f_store(float * p, F32x16 x) { SVC_EACH(vst1q_f32(p + 4 * i, x.v[i])) }
inline F32x16 f_add(F32x16 a, F32x16 b) { SVC_EACH(a.v[i] = vaddq_f32(a.v[i], b.v[i])) return a; }
inline F32x16 f_sub(F32x16 a, F32x16 b) { SVC_EACH(a.v[i] = vsubq_f32(a.v[i], b.v[i])) return a; }
inline F32x16 f_mul(F32x16 a, F32x16 b) { SVC_EACH(a.v[i] = vmulq_f32(a.v[i], b.v[i])) return a; }
inline F32x16 f_div(F32x16 a, F32x16 b) { SVC_EACH(a.v[i] = vdivq_f32(a.v[i], b.v[i])) return a; }
inline F32x16 f_fma(F32x16 a, F32x16 b, F32x16 c) { SVC_EACH(c.v[i] = vfmaq_f32(c.v[i], a.v[i], b.v[i])) return c; }
inline F32x16 f_fnma(F32x16 a, F32x16 b, F32x16 c) { SVC_EACH(c.v[i] = vfmsq_f32(c.v[i], a.v[i], b.v[i])) return c; }
inline F32x16 f_max(F32x16 a, F32x16 b) { SVC_EACH(a.v[i] = vmaxq_f32(a.v[i], b.v[i])) return a; }
inline F32x16 f_min(F32x16 a, F32x16 b) { SVC_EACH(a.v[i] = vminq_f32(a.v[i], b.v[i])) return a; }
inline F32x16 f_abs(F32x16 a) { SVC_EACH(a.v[i] = vabsq_f32(a.v[i])) return a; }
inline float f_sum(F32x16 a) { return vaddvq_f32(vaddq_f32(vaddq_f32(a.v[0], a.v[1]), vaddq_f32(a.v[2], a.v[3]))); }
inline float f_peak(F32x16 a) { return vmaxvq_f32(vmaxq_f32(vmaxq_f32(a.v[0], a.v[1]), vmaxq_f32(a.v[2], a.v[3]))); }
inline bool f_above(F32x16 a, float b) { return f_peak(a) > b; } // in any lane
inline F32x16 f_round(F32x16 a) { SVC_EACH(a.v[i] = vrndnq_f32(a.v[i])) return a; }
inline F32x16 f_half(const uint16_t * p) {
    F32x16 r;
    SVC_EACH(r.v[i] = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p + 4 * i)))) return r;
}
inline F32x16 f_bfloat(const uint16_t * p) {
    F32x16 r;
    SVC_EACH(r.v[i] = vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p + 4 * i), 16))) return r;
}
inline F32x16 f_bytes(const uint8_t * p) {
    const uint8x16_t bytes = vld1q_u8(p);
    const uint16x8_t low = vmovl_u8(vget_low_u8(bytes)), high = vmovl_u8(vget_high_u8(bytes));
    return {
        {vcvtq_f32_u32(vmovl_u16(vget_low_u16(low))), vcvtq_f32_u32(vmovl_u16(vget_high_u16(low))),
         vcvtq_f32_u32(vmovl_u16(vget_low_u16(high))), vcvtq_f32_u32(vmovl_u16(vget_high_u16(high)))}
    };
}
inline F32x16 f_from(I32x16 a) {
    F32x16 r;
    SVC_EACH(r.v[i] = vcvtq_f32_s32(a.v[i])) return r;
}
inline F32x16 f_scale2(F32x16 a, F32x16 n) {
    SVC_EACH(
        a.v[i] = vmulq_f32(
            a.v[i], vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(vcvtnq_s32_f32(n.v[i]), vdupq_n_s32(127)), 23))
        )
    )
    return a;
}
inline I32x16 i_set(int32_t x) {
    I32x16 r;
    SVC_EACH(r.v[i] = vdupq_n_s32(x)) return r;
}
inline I32x16 i_zero() { return i_set(0); }
inline I32x16 i_from(F32x16 a) {
    I32x16 r;
    SVC_EACH(r.v[i] = vcvtnq_s32_f32(a.v[i])) return r;
}
inline I32x16 i_add(I32x16 a, I32x16 b) {
    return {
        {vaddq_s32(a.v[0], b.v[0]), vaddq_s32(a.v[1], b.v[1]), vaddq_s32(a.v[2], b.v[2]), vaddq_s32(a.v[3], b.v[3])}
    };
}
inline int32_t i_sum(I32x16 a) { return vaddvq_s32(vaddq_s32(vaddq_s32(a.v[0], a.v[1]), vaddq_s32(a.v[2], a.v[3]))); }
inline void i_store8(int8_t * p, I32x16 a) {
    const int16x8_t low = vcombine_s16(vqmovn_s32(a.v[0]), vqmovn_s32(a.v[1])),
                    high = vcombine_s16(vqmovn_s32(a.v[2]), vqmovn_s32(a.v[3]));
    vst1q_s8(p, vcombine_s8(vqmovn_s16(low), vqmovn_s16(high)));
}
template <int T>
inline void prefetch(const void * p) {
    __builtin_prefetch(p);
}

// A block of activations.
#define SVC_BLOCKS
constexpr int block_bytes = block_depth;
inline void store_block(int8_t * p, I32x16 low, I32x16 high) {
    i_store8(p, low);
    i_store8(p + 16, high);
}

// 16 bytes of i8, or of i4 and i4_with_min, at the same place of the first and the second half of a block
struct Halves {
    int8x16_t first, second;
};
template <bool nibbles>
inline Halves load_halves(const uint8_t * p) {
    const uint8x16_t bytes = vld1q_u8(p);
    if (!nibbles) return {vreinterpretq_s8_u8(bytes), vreinterpretq_s8_u8(vld1q_u8(p + 256))};
    return {vreinterpretq_s8_u8(vandq_u8(bytes, vdupq_n_u8(15))), vreinterpretq_s8_u8(vshrq_n_u8(bytes, 4))};
}
#undef SVC_EACH

} // namespace SVC_ISA
} // namespace svc
