// The lanes of AVX2, with the dot products that kernels for AMX have beside its tile registers, computed without their
// instructions. The contract is in lanes_portable.h.
#pragma once
#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace svc {
namespace SVC_ISA {

// As vpdpbusd: `w` unsigned, `a` signed.
inline __m256i dot_bytes(__m256i acc, __m256i w, __m256i a) {
    const __m256i even = _mm256_madd_epi16(
                      _mm256_and_si256(w, _mm256_set1_epi16(255)), _mm256_srai_epi16(_mm256_slli_epi16(a, 8), 8)
                  ),
                  odd = _mm256_madd_epi16(_mm256_srli_epi16(w, 8), _mm256_srai_epi16(a, 8));
    return _mm256_add_epi32(acc, _mm256_add_epi32(even, odd));
}

} // namespace SVC_ISA
} // namespace svc

#define SVC_VNNI dot_bytes
#include "cpu-kernels/lanes_avx2.h"

namespace svc {
namespace SVC_ISA {

inline I32x16 i_load(const int32_t * p) {
    return {
        _mm256_load_si256(reinterpret_cast<const __m256i *>(p)),
        _mm256_load_si256(reinterpret_cast<const __m256i *>(p + 8))
    };
}
inline void w_store(uint8_t * p, Weights w) {
    _mm256_store_si256(reinterpret_cast<__m256i *>(p), w.a);
    _mm256_store_si256(reinterpret_cast<__m256i *>(p + 32), w.b);
}
inline Weights w_less(Weights w, int x) {
    const __m256i less = _mm256_set1_epi8(static_cast<char>(x));
    return {_mm256_sub_epi8(w.a, less), _mm256_sub_epi8(w.b, less)};
}
inline F32x16 dot_bf16(F32x16 acc, Weights w, const uint16_t * a) {
    const auto low = [](__m256i pairs) { return _mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16)); };
    const auto high = [](__m256i pairs) {
        return _mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32(static_cast<int>(0xffff0000))));
    };
    int32_t two;
    std::memcpy(&two, a, 4);
    const __m256i both = _mm256_set1_epi32(two);
    const F32x16 sum = f_fma({high(w.a), high(w.b)}, {high(both), high(both)}, acc);
    return f_fma({low(w.a), low(w.b)}, {low(both), low(both)}, sum);
}
inline void store_bfloats(uint16_t * p, F32x16 x) {
    uint32_t bits[16];
    f_store(reinterpret_cast<float *>(bits), x);
    // to the nearest, ties to even
    for (int i = 0; i < 16; i++) p[i] = static_cast<uint16_t>((bits[i] + 0x7fff + (bits[i] >> 16 & 1)) >> 16);
}

} // namespace SVC_ISA
} // namespace svc
