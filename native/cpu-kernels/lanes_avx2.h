// 16 lanes on AVX2 with FMA, as two halves. With SVC_VNNI, its dot product of bytes. Contract: lanes_portable.h.
#pragma once
#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace svc {
namespace SVC_ISA {

struct F32x16 {
    __m256 a, b;
};
struct I32x16 {
    __m256i a, b;
};
using Weights = I32x16;

constexpr int registers = 8; // that hold an F32x16 or I32x16

#ifdef SVC_VNNI
constexpr int max_columns = 6; // limited by the registers: an integer product needs two accumulators per column
#else
constexpr int max_columns = 5;
#endif
constexpr int i8_offset = 128;

inline F32x16 f_set(float x) {
    const __m256 v = _mm256_set1_ps(x);
    return {v, v};
}
inline F32x16 f_zero() { return f_set(0); }
inline F32x16 f_load(const float * p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
inline void f_store(float * p, F32x16 x) {
    _mm256_storeu_ps(p, x.a);
    _mm256_storeu_ps(p + 8, x.b);
}
inline F32x16 f_add(F32x16 x, F32x16 y) { return {_mm256_add_ps(x.a, y.a), _mm256_add_ps(x.b, y.b)}; }
inline F32x16 f_sub(F32x16 x, F32x16 y) { return {_mm256_sub_ps(x.a, y.a), _mm256_sub_ps(x.b, y.b)}; }
inline F32x16 f_mul(F32x16 x, F32x16 y) { return {_mm256_mul_ps(x.a, y.a), _mm256_mul_ps(x.b, y.b)}; }
inline F32x16 f_div(F32x16 x, F32x16 y) { return {_mm256_div_ps(x.a, y.a), _mm256_div_ps(x.b, y.b)}; }
inline F32x16 f_fma(F32x16 x, F32x16 y, F32x16 z) {
    return {_mm256_fmadd_ps(x.a, y.a, z.a), _mm256_fmadd_ps(x.b, y.b, z.b)};
}
inline F32x16 f_fnma(F32x16 x, F32x16 y, F32x16 z) {
    return {_mm256_fnmadd_ps(x.a, y.a, z.a), _mm256_fnmadd_ps(x.b, y.b, z.b)};
}
inline F32x16 f_max(F32x16 x, F32x16 y) { return {_mm256_max_ps(x.a, y.a), _mm256_max_ps(x.b, y.b)}; }
inline F32x16 f_min(F32x16 x, F32x16 y) { return {_mm256_min_ps(x.a, y.a), _mm256_min_ps(x.b, y.b)}; }
inline F32x16 f_abs(F32x16 x) {
    const __m256 mask = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    return {_mm256_and_ps(x.a, mask), _mm256_and_ps(x.b, mask)};
}
inline float f_sum(F32x16 x) {
    __m256 s = _mm256_add_ps(x.a, x.b);
    __m128 q = _mm_add_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1));
    q = _mm_add_ps(q, _mm_movehl_ps(q, q));
    return _mm_cvtss_f32(_mm_add_ss(q, _mm_movehdup_ps(q)));
}
inline float f_peak(F32x16 x) {
    __m256 s = _mm256_max_ps(x.a, x.b);
    __m128 q = _mm_max_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1));
    q = _mm_max_ps(q, _mm_movehl_ps(q, q));
    return _mm_cvtss_f32(_mm_max_ss(q, _mm_movehdup_ps(q)));
}
inline bool f_above(F32x16 x, float y) {
    const __m256 v = _mm256_set1_ps(y);
    return _mm256_movemask_ps(_mm256_or_ps(_mm256_cmp_ps(x.a, v, _CMP_GT_OQ), _mm256_cmp_ps(x.b, v, _CMP_GT_OQ))) != 0;
} // in any lane
inline F32x16 f_round(F32x16 x) { return {_mm256_round_ps(x.a, 8), _mm256_round_ps(x.b, 8)}; }
inline F32x16 f_half(const uint16_t * p) {
    return {
        _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p))),
        _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p + 8)))
    };
}
inline F32x16 f_bfloat(const uint16_t * p) {
    const auto wide = [](const uint16_t * q) {
        return _mm256_castsi256_ps(
            _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i *>(q))), 16)
        );
    };
    return {wide(p), wide(p + 8)};
}
inline F32x16 f_bytes(const uint8_t * p) {
    const auto wide = [](const uint8_t * q) {
        return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(q))));
    };
    return {wide(p), wide(p + 8)};
}
inline F32x16 f_from(I32x16 x) { return {_mm256_cvtepi32_ps(x.a), _mm256_cvtepi32_ps(x.b)}; }
inline I32x16 i_set(int32_t x) {
    const __m256i v = _mm256_set1_epi32(x);
    return {v, v};
}
inline I32x16 i_zero() { return i_set(0); }
inline I32x16 i_from(F32x16 x) { return {_mm256_cvtps_epi32(x.a), _mm256_cvtps_epi32(x.b)}; }
inline F32x16 f_scale2(F32x16 x, F32x16 n) {
    const auto power = [](__m256 v) {
        return _mm256_castsi256_ps(
            _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(v), _mm256_set1_epi32(127)), 23)
        );
    };
    return {_mm256_mul_ps(x.a, power(n.a)), _mm256_mul_ps(x.b, power(n.b))};
}
inline I32x16 i_add(I32x16 x, I32x16 y) { return {_mm256_add_epi32(x.a, y.a), _mm256_add_epi32(x.b, y.b)}; }
inline int32_t i_sum(I32x16 x) {
    const __m256i s = _mm256_add_epi32(x.a, x.b);
    __m128i q = _mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1));
    q = _mm_add_epi32(q, _mm_shuffle_epi32(q, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(q, _mm_shuffle_epi32(q, 0xb1)));
}
inline void i_store8(int8_t * p, I32x16 x) {
    const auto eight = [](__m256i v) {
        const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
        return _mm_packs_epi16(words, words);
    };
    _mm_storel_epi64(reinterpret_cast<__m128i *>(p), eight(x.a));
    _mm_storel_epi64(reinterpret_cast<__m128i *>(p + 8), eight(x.b));
}
inline Weights w_load(const uint8_t * p) {
    return {
        _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p)),
        _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p + 32))
    };
}
inline Weights w_low(Weights w) {
    const __m256i m = _mm256_set1_epi8(15);
    return {_mm256_and_si256(w.a, m), _mm256_and_si256(w.b, m)};
}
inline Weights w_high(Weights w) {
    const __m256i m = _mm256_set1_epi8(15);
    return {_mm256_and_si256(_mm256_srli_epi16(w.a, 4), m), _mm256_and_si256(_mm256_srli_epi16(w.b, 4), m)};
}
inline __m256i four_of(const int8_t * a) {
    int32_t four;
    std::memcpy(&four, a, 4);
    return _mm256_set1_epi32(four);
}
#ifdef SVC_VNNI
inline I32x16 dot_u(I32x16 acc, Weights w, const int8_t * a) {
    const __m256i v = four_of(a);
    return {SVC_VNNI(acc.a, w.a, v), SVC_VNNI(acc.b, w.b, v)};
}
inline I32x16 dot_i8(I32x16 acc, Weights w, const int8_t * a) {
#ifdef SVC_TILES
    const __m256i sign = _mm256_set1_epi8(-128); // tile registers multiply signed bytes
    w = {_mm256_xor_si256(w.a, sign), _mm256_xor_si256(w.b, sign)};
#endif
    return dot_u(acc, w, a);
}
#else
// Keeps the compiler from computing many products before it adds any, which takes more registers than there are.
#define SVC_KEEP(x) asm volatile("" : "+x"(x))

#define SVC_BLOCKS
// Activations: 32 bytes, then as 16-bit pairs 8 times values 4i and 4i + 2, and 8 times values 4i + 1 and 4i + 3.
constexpr int block_bytes = 96;
inline void store_block(int8_t * p, I32x16 low, I32x16 high) {
    i_store8(p, low);
    i_store8(p + 16, high);
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p));
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(p + 32), _mm256_srai_epi16(_mm256_slli_epi16(v, 8), 8));
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(p + 64), _mm256_srai_epi16(v, 8));
}

// acc + the products of two weights and two activations per row
template <int N>
[[gnu::always_inline]] inline void add_pairs(I32x16 * acc, Weights pairs, const int8_t * activations, size_t stride) {
    SVC_KEEP(pairs.a);
    SVC_KEEP(pairs.b);
#pragma GCC unroll 16
    for (int c = 0; c < N; c++) {
        __m256i v = four_of(activations + c * stride);
        SVC_KEEP(v);
        const __m256i a = _mm256_madd_epi16(pairs.a, v), b = _mm256_madd_epi16(pairs.b, v);
        acc[c].a = _mm256_add_epi32(acc[c].a, a);
        SVC_KEEP(acc[c].a);
        acc[c].b = _mm256_add_epi32(acc[c].b, b);
        SVC_KEEP(acc[c].b);
    }
}
template <int T, int N>
[[gnu::always_inline]] inline void block_i8(
    I32x16 * acc, const uint8_t * const * weights, const int8_t * activations, size_t stride
) {
    static_assert(T == 1);
#pragma GCC unroll 8
    for (int group = 0; group < 8; group++) {
        const Weights w = w_load(weights[0] + group * 64);
        const __m256i even = _mm256_set1_epi16(255);
        add_pairs<N>(
            acc, {_mm256_and_si256(w.a, even), _mm256_and_si256(w.b, even)}, activations + 32 + group * 4, stride
        );
        add_pairs<N>(acc, {_mm256_srli_epi16(w.a, 8), _mm256_srli_epi16(w.b, 8)}, activations + 64 + group * 4, stride);
    }
}

// acc + the products of four weights up to 15 and four activations per row; a sum of 16 of them fits in 16 bits
template <int N>
[[gnu::always_inline]] inline void add_fours(I32x16 * acc, Weights fours, const int8_t * activations, size_t stride) {
    SVC_KEEP(fours.a);
    SVC_KEEP(fours.b);
#pragma GCC unroll 16
    for (int c = 0; c < N; c++) {
        __m256i v = four_of(activations + c * stride);
        SVC_KEEP(v);
        const __m256i a = _mm256_maddubs_epi16(fours.a, v), b = _mm256_maddubs_epi16(fours.b, v);
        acc[c].a = _mm256_add_epi16(acc[c].a, a);
        SVC_KEEP(acc[c].a);
        acc[c].b = _mm256_add_epi16(acc[c].b, b);
        SVC_KEEP(acc[c].b);
    }
}
template <int T, int N>
[[gnu::always_inline]] inline void block_i4(
    I32x16 * acc, const uint8_t * const * weights, const int8_t * activations, size_t stride
) {
    static_assert(T == 1);
    I32x16 sums[N];
#pragma GCC unroll 16
    for (int c = 0; c < N; c++) sums[c] = i_zero();
#pragma GCC unroll 4
    for (int group = 0; group < 4; group++) {
        add_fours<N>(sums, w_low(w_load(weights[0] + group * 64)), activations + group * 4, stride);
        add_fours<N>(sums, w_high(w_load(weights[0] + group * 64)), activations + 16 + group * 4, stride);
    }
    const __m256i ones = _mm256_set1_epi16(1);
#pragma GCC unroll 16
    for (int c = 0; c < N; c++)
        acc[c] = i_add(acc[c], {_mm256_madd_epi16(sums[c].a, ones), _mm256_madd_epi16(sums[c].b, ones)});
}
#undef SVC_KEEP
#endif
template <int T>
inline void prefetch(const void * p) {
    _mm_prefetch(static_cast<const char *>(p), _MM_HINT_T0);
}

} // namespace SVC_ISA
} // namespace svc
