// 16 lanes on AVX-512 with VNNI. Contract: lanes_portable.h.
#pragma once
#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace svc {
namespace SVC_ISA {

using F32x16 = __m512;
using I32x16 = __m512i;
using Weights = __m512i; // 64 bytes of weights: 4 of each of 16 rows

constexpr int registers = 32; // that hold an F32x16 or I32x16

constexpr int max_columns = 10; // limited by the registers: an integer product needs two accumulators per column
// Two tiles at once, sharing each broadcast activation.
#define SVC_PAIRS
constexpr int pair_columns = 6, pair_columns_float = 10, max_columns_unpaired = 7, max_columns_unpaired_float = 4;
constexpr int i8_offset = 128; // the integer product of i8 weights is too large by this times the sum of the column

inline F32x16 f_zero() { return _mm512_setzero_ps(); }
inline F32x16 f_set(float x) { return _mm512_set1_ps(x); }
inline F32x16 f_load(const float * p) { return _mm512_loadu_ps(p); }
inline void f_store(float * p, F32x16 x) { _mm512_storeu_ps(p, x); }
inline F32x16 f_add(F32x16 a, F32x16 b) { return _mm512_add_ps(a, b); }
inline F32x16 f_sub(F32x16 a, F32x16 b) { return _mm512_sub_ps(a, b); }
inline F32x16 f_mul(F32x16 a, F32x16 b) { return _mm512_mul_ps(a, b); }
inline F32x16 f_div(F32x16 a, F32x16 b) { return _mm512_div_ps(a, b); }
inline F32x16 f_fma(F32x16 a, F32x16 b, F32x16 c) { return _mm512_fmadd_ps(a, b, c); }
inline F32x16 f_fnma(F32x16 a, F32x16 b, F32x16 c) { return _mm512_fnmadd_ps(a, b, c); }
inline F32x16 f_max(F32x16 a, F32x16 b) { return _mm512_max_ps(a, b); }
inline F32x16 f_min(F32x16 a, F32x16 b) { return _mm512_min_ps(a, b); }
inline F32x16 f_abs(F32x16 a) { return _mm512_abs_ps(a); }
inline float f_sum(F32x16 a) { return _mm512_reduce_add_ps(a); }
inline float f_peak(F32x16 a) { return _mm512_reduce_max_ps(a); }
inline bool f_above(F32x16 a, float b) { return _mm512_cmp_ps_mask(a, f_set(b), _CMP_GT_OQ) != 0; } // in any lane
inline F32x16 f_round(F32x16 a) { return _mm512_roundscale_ps(a, 0); }
inline F32x16 f_half(const uint16_t * p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(p)));
}
inline F32x16 f_bfloat(const uint16_t * p) {
    return _mm512_castsi512_ps(
        _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(p))), 16)
    );
}
inline F32x16 f_bytes(const uint8_t * p) {
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p))));
}
inline F32x16 f_from(I32x16 a) { return _mm512_cvtepi32_ps(a); }
// a · 2^n for integer n
inline F32x16 f_scale2(F32x16 a, F32x16 n) { return _mm512_scalef_ps(a, n); }
inline I32x16 i_zero() { return _mm512_setzero_si512(); }
inline I32x16 i_set(int32_t x) { return _mm512_set1_epi32(x); }
inline I32x16 i_from(F32x16 a) { return _mm512_cvtps_epi32(a); }
inline I32x16 i_add(I32x16 a, I32x16 b) { return _mm512_add_epi32(a, b); }
inline int32_t i_sum(I32x16 a) { return _mm512_reduce_add_epi32(a); }
inline void i_store8(int8_t * p, I32x16 a) {
    _mm_storeu_si128(reinterpret_cast<__m128i *>(p), _mm512_cvtepi32_epi8(a));
}
inline Weights w_load(const uint8_t * p) { return _mm512_loadu_si512(p); }
inline Weights w_low(Weights w) { return _mm512_and_si512(w, _mm512_set1_epi8(15)); }
inline Weights w_high(Weights w) { return _mm512_and_si512(_mm512_srli_epi16(w, 4), _mm512_set1_epi8(15)); }
// acc + the dot product of each row's 4 bytes with 4 signed bytes; `dot_u` reads w as unsigned
inline I32x16 dot_u(I32x16 acc, Weights w, const int8_t * a) {
    int32_t four;
    std::memcpy(&four, a, 4);
    return _mm512_dpbusd_epi32(acc, w, _mm512_set1_epi32(four));
}
#ifdef SVC_TILES
inline I32x16 i_load(const int32_t * p) { return _mm512_load_si512(p); }
inline void w_store(uint8_t * p, Weights w) { _mm512_store_si512(p, w); }
inline Weights w_less(Weights w, int x) { return _mm512_sub_epi8(w, _mm512_set1_epi8(static_cast<char>(x))); }
#endif
inline I32x16 dot_i8(I32x16 acc, Weights w, const int8_t * a) {
#ifdef SVC_TILES
    w = _mm512_xor_si512(w, _mm512_set1_epi8(-128)); // tile registers multiply signed bytes
#endif
    return dot_u(acc, w, a);
}
#ifdef SVC_BF16_PAIRS
// acc + the dot product of each row's 2 bfloat16 with 2 others
inline F32x16 dot_bf16(F32x16 acc, Weights w, const uint16_t * a) {
    int32_t two;
    std::memcpy(&two, a, 4);
    return _mm512_dpbf16_ps(acc, (__m512bh)w, (__m512bh)_mm512_set1_epi32(two));
}
inline void store_bfloats(uint16_t * p, F32x16 x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(p), (__m256i)_mm512_cvtneps_pbh(x));
}
#endif
// The number of columns for T tiles at once.
template <int T>
inline void prefetch(const void * p) {
    _mm_prefetch(static_cast<const char *>(p), T == 1 ? _MM_HINT_T0 : _MM_HINT_T1);
}

} // namespace SVC_ISA
} // namespace svc
