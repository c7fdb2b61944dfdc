// 16 lanes on AVX2 with FMA, as two halves.
#pragma once
#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace svc {
namespace SVC_ISA {

struct F { __m256 a, b; };
struct I { __m256i a, b; };
using W = I;

constexpr int max_columns = 3;
constexpr int i8_offset = 0;

inline F f_set(float x) { const __m256 v = _mm256_set1_ps(x); return {v, v}; }
inline F f_zero() { return f_set(0); }
inline F f_load(const float * p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
inline void f_store(float * p, F x) { _mm256_storeu_ps(p, x.a); _mm256_storeu_ps(p + 8, x.b); }
inline F f_add(F x, F y) { return {_mm256_add_ps(x.a, y.a), _mm256_add_ps(x.b, y.b)}; }
inline F f_sub(F x, F y) { return {_mm256_sub_ps(x.a, y.a), _mm256_sub_ps(x.b, y.b)}; }
inline F f_mul(F x, F y) { return {_mm256_mul_ps(x.a, y.a), _mm256_mul_ps(x.b, y.b)}; }
inline F f_div(F x, F y) { return {_mm256_div_ps(x.a, y.a), _mm256_div_ps(x.b, y.b)}; }
inline F f_fma(F x, F y, F z) { return {_mm256_fmadd_ps(x.a, y.a, z.a), _mm256_fmadd_ps(x.b, y.b, z.b)}; }
inline F f_fnma(F x, F y, F z) { return {_mm256_fnmadd_ps(x.a, y.a, z.a), _mm256_fnmadd_ps(x.b, y.b, z.b)}; }
inline F f_max(F x, F y) { return {_mm256_max_ps(x.a, y.a), _mm256_max_ps(x.b, y.b)}; }
inline F f_min(F x, F y) { return {_mm256_min_ps(x.a, y.a), _mm256_min_ps(x.b, y.b)}; }
inline F f_abs(F x) { const __m256 mask = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff)); return {_mm256_and_ps(x.a, mask), _mm256_and_ps(x.b, mask)}; }
inline float f_sum(F x) {
    __m256 s = _mm256_add_ps(x.a, x.b);
    __m128 q = _mm_add_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1));
    q = _mm_add_ps(q, _mm_movehl_ps(q, q));
    return _mm_cvtss_f32(_mm_add_ss(q, _mm_movehdup_ps(q)));
}
inline float f_peak(F x) {
    __m256 s = _mm256_max_ps(x.a, x.b);
    __m128 q = _mm_max_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1));
    q = _mm_max_ps(q, _mm_movehl_ps(q, q));
    return _mm_cvtss_f32(_mm_max_ss(q, _mm_movehdup_ps(q)));
}
inline F f_round(F x) { return {_mm256_round_ps(x.a, 8), _mm256_round_ps(x.b, 8)}; }
inline F f_half(const uint16_t * p) {
    return {_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p))), _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p + 8)))};
}
inline F f_bfloat(const uint16_t * p) {
    const auto wide = [](const uint16_t * q) { return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i *>(q))), 16)); };
    return {wide(p), wide(p + 8)};
}
inline F f_bytes(const uint8_t * p) {
    const auto wide = [](const uint8_t * q) { return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(q)))); };
    return {wide(p), wide(p + 8)};
}
inline F f_from(I x) { return {_mm256_cvtepi32_ps(x.a), _mm256_cvtepi32_ps(x.b)}; }
inline I i_set(int32_t x) { const __m256i v = _mm256_set1_epi32(x); return {v, v}; }
inline I i_zero() { return i_set(0); }
inline I i_from(F x) { return {_mm256_cvtps_epi32(x.a), _mm256_cvtps_epi32(x.b)}; }
inline F f_scale2(F x, F n) {
    const auto power = [](__m256 v) { return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(v), _mm256_set1_epi32(127)), 23)); };
    return {_mm256_mul_ps(x.a, power(n.a)), _mm256_mul_ps(x.b, power(n.b))};
}
inline I i_add(I x, I y) { return {_mm256_add_epi32(x.a, y.a), _mm256_add_epi32(x.b, y.b)}; }
inline int32_t i_sum(I x) {
    const __m256i s = _mm256_add_epi32(x.a, x.b);
    __m128i q = _mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1));
    q = _mm_add_epi32(q, _mm_shuffle_epi32(q, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(q, _mm_shuffle_epi32(q, 0xb1)));
}
inline void i_store8(int8_t * p, I x) {
    const auto eight = [](__m256i v) {
        const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
        return _mm_packs_epi16(words, words);
    };
    _mm_storel_epi64(reinterpret_cast<__m128i *>(p), eight(x.a));
    _mm_storel_epi64(reinterpret_cast<__m128i *>(p + 8), eight(x.b));
}
inline W w_load(const uint8_t * p) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i *>(p)), _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p + 32))}; }
inline W w_low(W w) { const __m256i m = _mm256_set1_epi8(15); return {_mm256_and_si256(w.a, m), _mm256_and_si256(w.b, m)}; }
inline W w_high(W w) { const __m256i m = _mm256_set1_epi8(15); return {_mm256_and_si256(_mm256_srli_epi16(w.a, 4), m), _mm256_and_si256(_mm256_srli_epi16(w.b, 4), m)}; }
inline __m256i four_of(const int8_t * a) {
    int32_t four;
    std::memcpy(&four, a, 4);
    return _mm256_set1_epi32(four);
}
// unsigned bytes up to 15: sums of two products fit in 16 bits
inline I dot_u(I acc, W w, const int8_t * a) {
    const __m256i v = four_of(a), ones = _mm256_set1_epi16(1);
    return {_mm256_add_epi32(acc.a, _mm256_madd_epi16(_mm256_maddubs_epi16(w.a, v), ones)), _mm256_add_epi32(acc.b, _mm256_madd_epi16(_mm256_maddubs_epi16(w.b, v), ones))};
}
// bytes offset by 128: converted to signed, then |w| · (a with the sign of w), whose pairwise sums fit in 16 bits
inline I dot_i8(I acc, W w, const int8_t * a) {
    const __m256i v = four_of(a), ones = _mm256_set1_epi16(1), flip = _mm256_set1_epi8(-128);
    const auto half = [&](__m256i sum, __m256i bytes) {
        const __m256i s = _mm256_xor_si256(bytes, flip);
        return _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(_mm256_abs_epi8(s), _mm256_sign_epi8(v, s)), ones));
    };
    return {half(acc.a, w.a), half(acc.b, w.b)};
}
template <int T>
inline void prefetch(const void * p) { _mm_prefetch(static_cast<const char *>(p), _MM_HINT_T0); }

} // namespace SVC_ISA
} // namespace svc
