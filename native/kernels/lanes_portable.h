// 16 lanes in plain C++, for processors without specific kernels.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>

namespace svc {
namespace SVC_ISA {

struct F {
    float v[16];
};
struct I {
    int32_t v[16];
};
struct W {
    uint8_t v[64];
};

constexpr int max_columns = 2;
constexpr int i8_offset = 128;

constexpr int registers = 2; // that hold an F or I

#define SVC_EACH(expression)                                                                                           \
    for (int i = 0; i < 16; i++) {                                                                                     \
        expression;                                                                                                    \
    }
inline F f_set(float x) {
    F r;
    SVC_EACH(r.v[i] = x) return r;
}
inline F f_zero() { return f_set(0); }
inline F f_load(const float * p) {
    F r;
    std::memcpy(r.v, p, 64);
    return r;
}
inline void f_store(float * p, F x) { std::memcpy(p, x.v, 64); }
inline F f_add(F a, F b) { SVC_EACH(a.v[i] += b.v[i]) return a; }
inline F f_sub(F a, F b) { SVC_EACH(a.v[i] -= b.v[i]) return a; }
inline F f_mul(F a, F b) { SVC_EACH(a.v[i] *= b.v[i]) return a; }
inline F f_div(F a, F b) { SVC_EACH(a.v[i] /= b.v[i]) return a; }
inline F f_fma(F a, F b, F c) { SVC_EACH(c.v[i] += a.v[i] * b.v[i]) return c; }
inline F f_fnma(F a, F b, F c) { SVC_EACH(c.v[i] -= a.v[i] * b.v[i]) return c; }
inline F f_max(F a, F b) { SVC_EACH(a.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i]) return a; }
inline F f_min(F a, F b) { SVC_EACH(a.v[i] = a.v[i] < b.v[i] ? a.v[i] : b.v[i]) return a; }
inline F f_abs(F a) { SVC_EACH(a.v[i] = std::fabs(a.v[i])) return a; }
inline float f_sum(F a) {
    float s = 0;
    SVC_EACH(s += a.v[i]) return s;
}
inline float f_peak(F a) {
    float s = a.v[0];
    SVC_EACH(s = a.v[i] > s ? a.v[i] : s) return s;
}
inline bool f_above(F a, float b) { return f_peak(a) > b; } // in any lane
inline F f_round(F a) { SVC_EACH(a.v[i] = std::nearbyint(a.v[i])) return a; }
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
inline F f_half(const uint16_t * p) {
    F r;
    SVC_EACH(r.v[i] = widen_half(p[i])) return r;
}
inline F f_bfloat(const uint16_t * p) {
    F r;
    SVC_EACH(const uint32_t bits = static_cast<uint32_t>(p[i]) << 16; std::memcpy(&r.v[i], &bits, 4)) return r;
}
inline F f_bytes(const uint8_t * p) {
    F r;
    SVC_EACH(r.v[i] = p[i]) return r;
}
inline F f_from(I a) {
    F r;
    SVC_EACH(r.v[i] = static_cast<float>(a.v[i])) return r;
}
inline F f_scale2(F a, F n) { SVC_EACH(a.v[i] = std::ldexp(a.v[i], static_cast<int>(n.v[i]))) return a; }
inline I i_set(int32_t x) {
    I r;
    SVC_EACH(r.v[i] = x) return r;
}
inline I i_zero() { return i_set(0); }
inline I i_from(F a) {
    I r;
    SVC_EACH(r.v[i] = static_cast<int32_t>(std::nearbyint(a.v[i]))) return r;
}
inline I i_add(I a, I b) { SVC_EACH(a.v[i] += b.v[i]) return a; }
inline int32_t i_sum(I a) {
    int32_t s = 0;
    SVC_EACH(s += a.v[i]) return s;
}
inline void i_store8(int8_t * p, I a) { SVC_EACH(p[i] = static_cast<int8_t>(a.v[i])) }
inline W w_load(const uint8_t * p) {
    W r;
    std::memcpy(r.v, p, 64);
    return r;
}
inline W w_low(W w) {
    for (uint8_t & byte : w.v) byte &= 15;
    return w;
}
inline W w_high(W w) {
    for (uint8_t & byte : w.v) byte >>= 4;
    return w;
}
inline I dot_i8(I acc, W w, const int8_t * a) {
    SVC_EACH(for (int j = 0; j < 4; j++) acc.v[i] += w.v[i * 4 + j] * a[j]) return acc;
}
inline I dot_u(I acc, W w, const int8_t * a) { return dot_i8(acc, w, a); }
template <int T>
inline void prefetch(const void *) {}
#undef SVC_EACH

} // namespace SVC_ISA
} // namespace svc
