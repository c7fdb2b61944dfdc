// 16 lanes in plain C++, for processors without specific kernels, and the contract of each lanes_*.h, which the kernels
// (*-inl.h) are written in:
//
// F32x16, I32x16   16 float32, 16 int32
// Weights          64 bytes: 4 neighboring values of each of 16 rows
// registers        how many F32x16 or I32x16 fit in the processor's registers
// max_columns      columns of a product that are computed at once
// i8_offset        what dot_i8 adds to each stored weight of i8: its result is too large by this times the column's sum
//
// f_…              operations on F32x16, lane by lane: f_fma(a, b, c) is a · b + c and f_fnma c - a · b, fused where the
//                  processor can; f_round rounds to the nearest, ties to even; f_scale2(a, n) is a · 2^n for integer n;
//                  f_half, f_bfloat and f_bytes load and widen 16 values; f_from converts an I32x16
// f_sum, f_peak    the sum and the largest of the lanes; f_above(a, b): whether any lane is larger than b
// i_…              operations on I32x16: i_from rounds to the nearest; i_sum adds the lanes; i_store8 keeps the low bytes
// w_load           64 bytes; w_low and w_high are the low and the high half of each byte
// dot_i8           accumulator + the dot product of each row's 4 bytes with 4 signed bytes; dot_u reads halves of bytes
// prefetch<T>      fetches a cache line, for products of T tiles at once
//
// Optional, with the macro that announces it:
// SVC_BLOCKS       block_bytes, store_block, block_i8 and block_i4: products of a block at a time instead of dot products
// SVC_PAIRS        pair_columns, pair_columns_float, max_columns_unpaired, max_columns_unpaired_float: two tiles at once
// SVC_BF16_PAIRS   dot_bf16 and store_bfloats, of pairs of bfloat16
// SVC_TILES        i_load, w_store and w_less (each byte less x), of 64 aligned bytes; dot_i8 of signed bytes
// SVC_PRODUCTS     names a file with all integer products, which then need neither Weights nor the functions on them
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>

namespace svc {
namespace SVC_ISA {

struct F32x16 {
    float v[16];
};
struct I32x16 {
    int32_t v[16];
};
struct Weights {
    uint8_t v[64];
};

constexpr int max_columns = 2;
constexpr int i8_offset = 128;

constexpr int registers = 2; // that hold an F32x16 or I32x16

#define SVC_EACH(expression)                                                                                           \
    for (int i = 0; i < 16; i++) {                                                                                     \
        expression;                                                                                                    \
    }
inline F32x16 f_set(float x) {
    F32x16 r;
    SVC_EACH(r.v[i] = x) return r;
}
inline F32x16 f_zero() { return f_set(0); }
inline F32x16 f_load(const float * p) {
    F32x16 r;
    std::memcpy(r.v, p, 64);
    return r;
}
inline void f_store(float * p, F32x16 x) { std::memcpy(p, x.v, 64); }
inline F32x16 f_add(F32x16 a, F32x16 b) { SVC_EACH(a.v[i] += b.v[i]) return a; }
inline F32x16 f_sub(F32x16 a, F32x16 b) { SVC_EACH(a.v[i] -= b.v[i]) return a; }
inline F32x16 f_mul(F32x16 a, F32x16 b) { SVC_EACH(a.v[i] *= b.v[i]) return a; }
inline F32x16 f_div(F32x16 a, F32x16 b) { SVC_EACH(a.v[i] /= b.v[i]) return a; }
inline F32x16 f_fma(F32x16 a, F32x16 b, F32x16 c) { SVC_EACH(c.v[i] += a.v[i] * b.v[i]) return c; }
inline F32x16 f_fnma(F32x16 a, F32x16 b, F32x16 c) { SVC_EACH(c.v[i] -= a.v[i] * b.v[i]) return c; }
inline F32x16 f_max(F32x16 a, F32x16 b) { SVC_EACH(a.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i]) return a; }
inline F32x16 f_min(F32x16 a, F32x16 b) { SVC_EACH(a.v[i] = a.v[i] < b.v[i] ? a.v[i] : b.v[i]) return a; }
inline F32x16 f_abs(F32x16 a) { SVC_EACH(a.v[i] = std::fabs(a.v[i])) return a; }
inline float f_sum(F32x16 a) {
    float s = 0;
    SVC_EACH(s += a.v[i]) return s;
}
inline float f_peak(F32x16 a) {
    float s = a.v[0];
    SVC_EACH(s = a.v[i] > s ? a.v[i] : s) return s;
}
inline bool f_above(F32x16 a, float b) { return f_peak(a) > b; } // in any lane
inline F32x16 f_round(F32x16 a) { SVC_EACH(a.v[i] = std::nearbyint(a.v[i])) return a; }
inline float widen_half(uint16_t h) {
    const uint32_t sign = static_cast<uint32_t>(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 1023;
    if (exponent == 0) {
        const float small = static_cast<float>(mantissa) * 5.9604644775390625e-8f;
        return sign ? -small : small;
    }
    const uint32_t bits = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | mantissa << 13;
    float x;
    std::memcpy(&x, &bits, 4);
    return x;
}
inline F32x16 f_half(const uint16_t * p) {
    F32x16 r;
    SVC_EACH(r.v[i] = widen_half(p[i])) return r;
}
inline F32x16 f_bfloat(const uint16_t * p) {
    F32x16 r;
    SVC_EACH(const uint32_t bits = static_cast<uint32_t>(p[i]) << 16; std::memcpy(&r.v[i], &bits, 4)) return r;
}
inline F32x16 f_bytes(const uint8_t * p) {
    F32x16 r;
    SVC_EACH(r.v[i] = p[i]) return r;
}
inline F32x16 f_from(I32x16 a) {
    F32x16 r;
    SVC_EACH(r.v[i] = static_cast<float>(a.v[i])) return r;
}
inline F32x16 f_scale2(F32x16 a, F32x16 n) { SVC_EACH(a.v[i] = std::ldexp(a.v[i], static_cast<int>(n.v[i]))) return a; }
inline I32x16 i_set(int32_t x) {
    I32x16 r;
    SVC_EACH(r.v[i] = x) return r;
}
inline I32x16 i_zero() { return i_set(0); }
inline I32x16 i_from(F32x16 a) {
    I32x16 r;
    SVC_EACH(r.v[i] = static_cast<int32_t>(std::nearbyint(a.v[i]))) return r;
}
inline I32x16 i_add(I32x16 a, I32x16 b) { SVC_EACH(a.v[i] += b.v[i]) return a; }
inline int32_t i_sum(I32x16 a) {
    int32_t s = 0;
    SVC_EACH(s += a.v[i]) return s;
}
inline void i_store8(int8_t * p, I32x16 a) { SVC_EACH(p[i] = static_cast<int8_t>(a.v[i])) }
inline Weights w_load(const uint8_t * p) {
    Weights r;
    std::memcpy(r.v, p, 64);
    return r;
}
inline Weights w_low(Weights w) {
    for (uint8_t & byte : w.v) byte &= 15;
    return w;
}
inline Weights w_high(Weights w) {
    for (uint8_t & byte : w.v) byte >>= 4;
    return w;
}
inline I32x16 dot_i8(I32x16 acc, Weights w, const int8_t * a) {
    SVC_EACH(for (int j = 0; j < 4; j++) acc.v[i] += w.v[i * 4 + j] * a[j]) return acc;
}
inline I32x16 dot_u(I32x16 acc, Weights w, const int8_t * a) { return dot_i8(acc, w, a); }
template <int T>
inline void prefetch(const void *) {}
#undef SVC_EACH

} // namespace SVC_ISA
} // namespace svc
