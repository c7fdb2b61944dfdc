#include "cpu-kernels/integer_peak.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "cpu-kernels/processor.h"
#include "cpu-kernels/team.h"
#include "kernel_sets.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace svc {
#ifdef SVC_HAS_AMX
void amx_products(int rounds); // isa_amx.cc
#endif
namespace {

// Independent sums: enough for two instructions a cycle of five cycles each, or so few that 16 registers hold their
// products too.
constexpr int many = 12, few = 8;
constexpr int rounds = 1 << 20;
constexpr int passes = 10;

#if defined(__x86_64__)
#define SVC_REGISTER "+v"
#elif defined(__aarch64__)
#define SVC_REGISTER "+w"
#endif

#ifdef SVC_REGISTER
// A function that adds products to some registers. The compiler may not know the factors, as it would otherwise
// multiply them once.
#define SVC_LOOP(name, architecture, Vector, sums, ones, with_products)                                                \
    __attribute__((target(architecture))) void name() {                                                                \
        Vector all[sums], factors = ones;                                                                              \
        _Pragma("GCC unroll 12") for (Vector & sum : all) sum = factors;                                               \
        for (int round = 0; round < rounds; round++) {                                                                 \
            _Pragma("GCC unroll 12") for (Vector & sum : all) {                                                        \
                asm volatile("" : SVC_REGISTER(factors));                                                              \
                sum = with_products;                                                                                   \
            }                                                                                                          \
        }                                                                                                              \
        _Pragma("GCC unroll 12") for (Vector & sum : all) asm volatile("" : SVC_REGISTER(sum));                        \
    }
#endif

struct Loop {
    const char * kernels;
    bool runs;
    void (*run)();
    int products; // of a round
};

#if defined(__x86_64__)
SVC_LOOP(multiply_sse2, "sse2", __m128i, few, _mm_set1_epi8(1), _mm_add_epi32(sum, _mm_madd_epi16(factors, factors)))
SVC_LOOP(
    multiply_avx2, "avx2", __m256i, few, _mm256_set1_epi8(1), _mm256_add_epi32(sum, _mm256_madd_epi16(factors, factors))
)
SVC_LOOP(
    multiply_avx_vnni, "avxvnni", __m256i, many, _mm256_set1_epi8(1), _mm256_dpbusd_avx_epi32(sum, factors, factors)
)
SVC_LOOP(
    multiply_avx512_vl, "avx512vl,avx512vnni", __m256i, many, _mm256_set1_epi8(1),
    _mm256_dpbusd_epi32(sum, factors, factors)
)
SVC_LOOP(
    multiply_avx512, "avx512f,avx512vnni", __m512i, many, _mm512_set1_epi32(0x01010101),
    _mm512_dpbusd_epi32(sum, factors, factors)
)

#ifdef SVC_HAS_AMX
// Tile instructions multiply so many values that fewer rounds do.
constexpr int tile_rounds = rounds / 8, tile_products = 16 * 16 * 64, tiles = 4;
void multiply_amx() { amx_products(tile_rounds); }
#endif

const ProcessorFeatures features = processor_features();

// the first that runs counts; callers ask for kernels that run
const Loop loops[] = {
#ifdef SVC_HAS_AMX
    {"amx", features.amx, multiply_amx, tile_products * tiles / (rounds / tile_rounds)},
#endif
    {"avx512_bf16", features.avx512, multiply_avx512, 64 * many},
    {"avx512", features.avx512, multiply_avx512, 64 * many},
    {"avx_vnni", features.avx512, multiply_avx512_vl, 32 * many},
    {"avx_vnni", features.avx_vnni, multiply_avx_vnni, 32 * many},
    {"avx2", features.avx2, multiply_avx2, 16 * few},
    {"portable", true, multiply_sse2, 8 * few},
};
#elif defined(__aarch64__)
SVC_LOOP(
    multiply_neon, "arch=armv8-a", int32x4_t, many, vdupq_n_s32(1),
    vpadalq_s16(sum, vmull_s8(vreinterpret_s8_s32(vget_low_s32(factors)), vreinterpret_s8_s32(vget_low_s32(factors))))
)
SVC_LOOP(
    multiply_neon_dot, "arch=armv8.2-a+dotprod", int32x4_t, many, vdupq_n_s32(1),
    vdotq_s32(sum, vreinterpretq_s8_s32(factors), vreinterpretq_s8_s32(factors))
)
SVC_LOOP(
    multiply_neon_i8mm, "arch=armv8.2-a+i8mm", int32x4_t, many, vdupq_n_s32(1),
    vmmlaq_s32(sum, vreinterpretq_s8_s32(factors), vreinterpretq_s8_s32(factors))
)

// callers ask for kernels that run
const Loop loops[] = {
    {"neon_i8mm", true, multiply_neon_i8mm, 32 * many},
    {"neon", true, multiply_neon_dot, 16 * many},
    {"neon_v8", true, multiply_neon, 8 * many},
    {"portable", true, multiply_neon, 8 * many},
};
#else
const Loop loops[] = {{"", false, nullptr, 0}};
#endif

} // namespace

double integer_peak(const std::string & kernels, int threads) {
    for (const Loop & loop : loops) {
        if (!loop.runs || kernels != loop.kernels) continue;
        double best = 0;
        for (int pass = 0; pass < passes; pass++) {
            const auto start = std::chrono::steady_clock::now();
            Team::shared(threads)->run([&](Member & member) { share(member, threads, [&](int) { loop.run(); }); });
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
            best = std::max(best, 2.0 * loop.products * rounds * threads / seconds.count());
        }
        return best;
    }
    return 0;
}

} // namespace svc
