// The names of simt.h on a processor: every thread of a block is a fiber, and instructions that a warp executes together
// are computed when its last lane arrives, from the fragment layouts that the PTX manual documents. Asynchronous copies
// happen as late as the waits allow, so a missing wait reads poison. A use that a GPU would hang on ends the process.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace svc::cuda::model {

struct Place {
    int thread = 0;
    int block[3] = {0, 0, 0};
    int grid[3] = {1, 1, 1};
};
// Of the thread that runs.
extern Place place;
char * shared_memory();
void block_barrier();

// Called by all lanes of a warp: when the last one arrives, `compute(inputs, outputs)` sees the values of 32 lanes.
using Compute = void (*)(const void * inputs, void * outputs);
void together(
    const char * what, Compute compute, const void * input, size_t input_bytes, void * output, size_t output_bytes
);

void defer_copy(void * to, const void * from, int bytes);
void commit_copies();
void wait_copies(int pending);

// A kernel, registered under its name.
struct Kernel {
    Kernel(const char * name, int most_threads, size_t job_bytes, void (*run)(const void * job));
    const char * name;
    int most_threads;
    size_t job_bytes;
    void (*run)(const void * job);
};
const Kernel & find_kernel(const char * name);

// Runs all blocks, one after the other, in an order that depends on `order`.
void launch(
    const Kernel & kernel, const int grid[3], int threads, size_t shared_bytes, const void * job, unsigned order
);

} // namespace svc::cuda::model

#define SVC_UNROLL
#define SVC_UNROLL_BY(count)
#define SVC_KERNEL(name, Job, threads, blocks)                                                                         \
    static void name(const Job & job);                                                                                 \
    static const svc::cuda::model::Kernel name##_entry(#name, threads, sizeof(Job), [](const void * job) {             \
        ::name(*static_cast<const Job *>(job));                                                                        \
    });                                                                                                                \
    static void name([[maybe_unused]] const Job & job)

namespace svc::cuda {

inline int thread_index() { return model::place.thread; }
inline int block_x() { return model::place.block[0]; }
inline int block_y() { return model::place.block[1]; }
inline int block_z() { return model::place.block[2]; }
inline int grid_x() { return model::place.grid[0]; }
inline int grid_y() { return model::place.grid[1]; }
inline char * shared_memory() { return model::shared_memory(); }

inline void barrier() { model::block_barrier(); }
inline void warp_barrier() {
    model::together("warp_barrier", [](const void *, void *) {}, nullptr, 0, nullptr, 0);
}

struct ShuffleInput {
    float value;
    int from;
};
inline void shuffle_lanes(const void * inputs, void * outputs) {
    const auto * in = static_cast<const ShuffleInput *>(inputs);
    for (int lane = 0; lane < 32; lane++) static_cast<float *>(outputs)[lane] = in[in[lane].from & 31].value;
}
inline float shuffle(float value, int lane) {
    const ShuffleInput input{value, lane};
    float out;
    model::together("shuffle", shuffle_lanes, &input, sizeof(input), &out, sizeof(out));
    return out;
}
inline float shuffle_xor(float value, int mask) { return shuffle(value, (thread_index() % 32) ^ mask); }

template <int Bytes>
inline void copy_async(void * shared, const void * global) {
    static_assert(Bytes == 16 || Bytes == 8 || Bytes == 4);
    model::defer_copy(shared, global, Bytes);
}
inline void copy_commit() { model::commit_copies(); }
inline void copy_wait(int pending) { model::wait_copies(pending); }

template <typename Number>
struct MmaInput {
    Number c[4];
    uint32_t a[4], b[2];
};

inline float float_of_bfloat_bits(uint32_t bits) {
    bits <<= 16;
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
}

inline float float_of_half(uint16_t bits) {
    const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
    const bool finite = magnitude < 0x7c00;
    const uint32_t wide = sign | (finite ? 0 : 255u << 23) | magnitude << 13;
    float value;
    std::memcpy(&value, &wide, 4);
    return finite ? value * 0x1p112f : value; // the exponents are 112 apart
}
inline float float_of_half_bits(uint32_t bits) { return float_of_half(static_cast<uint16_t>(bits)); }
// Rounds to even; at most the largest float16.
inline uint16_t half_of(float x) {
    const float magnitude = std::fmin(std::fabs(x), 65504.0f);
    uint32_t bits;
    if (magnitude < 0x1p-14f) {
        // below a normal float16, the sum leaves steps of 2^-24
        const float shifted = magnitude + 0.5f;
        std::memcpy(&bits, &shifted, 4);
        bits -= 0x3f000000;
    } else {
        std::memcpy(&bits, &magnitude, 4);
        bits += 0xfff + (bits >> 13 & 1);
        bits = (bits >> 13) - (112u << 10);
    }
    return static_cast<uint16_t>(bits | (std::signbit(x) ? 0x8000 : 0));
}

// Fragments: lane = 4 · group + place. a: rows group and group + 8; b: column group; c: columns 2 · place and the next.
inline void multiply_i8(const void * inputs, void * outputs) {
    const auto * in = static_cast<const MmaInput<int32_t> *>(inputs);
    int8_t a[16][32], b[32][8];
    for (int lane = 0; lane < 32; lane++) {
        const int group = lane / 4, at = lane % 4 * 4;
        for (int r = 0; r < 4; r++) std::memcpy(&a[group + r % 2 * 8][at + r / 2 * 16], &in[lane].a[r], 4);
        for (int r = 0; r < 2; r++) {
            int8_t four[4];
            std::memcpy(four, &in[lane].b[r], 4);
            for (int i = 0; i < 4; i++) b[at + r * 16 + i][group] = four[i];
        }
    }
    for (int lane = 0; lane < 32; lane++) {
        for (int i = 0; i < 4; i++) {
            const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
            int32_t sum = in[lane].c[i];
            for (int k = 0; k < 32; k++) sum += a[row][k] * b[k][column];
            static_cast<int32_t (*)[4]>(outputs)[lane][i] = sum;
        }
    }
}
inline void mma_i8(int32_t (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    MmaInput<int32_t> input;
    std::memcpy(input.c, c, 16);
    std::memcpy(input.a, a, 16);
    std::memcpy(input.b, b, 8);
    model::together("mma_i8", multiply_i8, &input, sizeof(input), c, sizeof(c));
}

// 16-bit values as floats.
using Widen = float (*)(uint32_t bits);
template <Widen widen>
inline void multiply_16_bits(const void * inputs, void * outputs) {
    const auto * in = static_cast<const MmaInput<float> *>(inputs);
    float a[16][16], b[16][8];
    for (int lane = 0; lane < 32; lane++) {
        const int group = lane / 4, at = lane % 4 * 2;
        for (int r = 0; r < 4; r++) {
            for (int i = 0; i < 2; i++)
                a[group + r % 2 * 8][at + r / 2 * 8 + i] = widen(in[lane].a[r] >> (16 * i) & 0xffff);
        }
        for (int r = 0; r < 2; r++) {
            for (int i = 0; i < 2; i++) b[at + r * 8 + i][group] = widen(in[lane].b[r] >> (16 * i) & 0xffff);
        }
    }
    for (int row = 0; row < 16; row++) {
        float sums[8];
        const auto each = [&](auto use) {
            for (int column = 0; column < 8; column++) use(column, row % 8 * 4 + column / 2, row / 8 * 2 + column % 2);
        };
        each([&](int column, int lane, int i) { sums[column] = in[lane].c[i]; });
        for (int k = 0; k < 16; k++) {
            for (int column = 0; column < 8; column++) sums[column] += a[row][k] * b[k][column];
        }
        each([&](int column, int lane, int i) { static_cast<float (*)[4]>(outputs)[lane][i] = sums[column]; });
    }
}
template <Widen widen>
inline void mma_16_bits(const char * what, float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    MmaInput<float> input;
    std::memcpy(input.c, c, 16);
    std::memcpy(input.a, a, 16);
    std::memcpy(input.b, b, 8);
    model::together(what, multiply_16_bits<widen>, &input, sizeof(input), c, sizeof(c));
}
inline void mma_bf16(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    mma_16_bits<float_of_bfloat_bits>("mma_bf16", c, a, b);
}
inline void mma_f16(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    mma_16_bits<float_of_half_bits>("mma_f16", c, a, b);
}

inline void load_rows(const void * inputs, void * outputs) {
    const auto * rows = static_cast<const void * const *>(inputs);
    for (int lane = 0; lane < 32; lane++) {
        for (int r = 0; r < 4; r++)
            std::memcpy(
                &static_cast<uint32_t (*)[4]>(outputs)[lane][r],
                static_cast<const char *>(rows[r * 8 + lane / 4]) + lane % 4 * 4, 4
            );
    }
}
inline void load_matrix(uint32_t (&fragment)[4], const void * row) {
    model::together("load_matrix", load_rows, &row, sizeof(row), fragment, sizeof(fragment));
}

inline int atomic_add(int * counter, int value) {
    const int before = *counter;
    *counter += value;
    return before;
}
inline void fence() {}
inline void dependents_may_start() {}
inline void wait_for_inputs() {}

inline uint32_t bfloat_pair(float low, float high) {
    const auto rounded = [](float x) {
        uint32_t bits;
        std::memcpy(&bits, &x, 4);
        return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    };
    return rounded(low) | rounded(high) << 16;
}
inline uint32_t half_pair(float low, float high) { return half_of(low) | static_cast<uint32_t>(half_of(high)) << 16; }
inline float exp2_fast(float x) { return std::exp2(x); }
inline float reciprocal(float x) { return 1.0f / x; }
inline float root(float x) { return std::sqrt(x); }
inline float sine_fast(float x) { return std::sin(x); }
inline float nearest(float x) { return std::nearbyint(x); }
} // namespace svc::cuda
