// Attention of short independent sequences, in which every position sees all: the local encoder and the local DiT.
// A block computes a head of a sequence.
#pragma once
#include "cuda/kernels/columns.h"
#include "cuda/kernels/rope.h"

namespace svc::cuda {

constexpr int most_local_positions = 16, most_local_threads = 512;

struct LocalAttentionJob {
    const float * qkv = nullptr; // [column][stride]: heads of queries, of keys, of values
    int stride = 0;
    int length = 0; // of a sequence, in columns
    int heads = 0, kv_heads = 0;
    float scale = 1; // of a score
    Rope rope = {};
    Columns out = {};
};

// One for each four values of a query.
constexpr int local_attention_threads(int length, int head_dim) { return (length * head_dim / 4 + 31) / 32 * 32; }
constexpr size_t local_attention_shared(int length, int head_dim) {
    return (static_cast<size_t>(3 * length) * (head_dim + 4) + static_cast<size_t>(length) * most_local_positions) *
        sizeof(float);
}

// What a block has in shared memory. HeadDim: 64 or 128; a division by a number known only at run time would cost more than
// it computes.
template <int HeadDim>
struct LocalHead {
    static_assert(HeadDim == 64 || HeadDim == 128);
    static constexpr int hd = HeadDim, row = hd + 4; // the padding spreads rows over the banks
    const LocalAttentionJob & job;
    const int thread = thread_index(), head = block_x(), sequence = block_y(), length = job.length;
    const int threads = local_attention_threads(length, hd);
    float * const queries = reinterpret_cast<float *>(shared_memory());
    float * const keys = queries + length * row;
    float * const values = keys + length * row;
    float * const scores = values + length * row;

    inline void load() const {
        const int kv_head = head / (job.heads / job.kv_heads), units = length * hd / 8;
        const float * qkv = job.qkv + static_cast<size_t>(sequence) * length * job.stride;
        // one half of the threads has the queries, the other the keys and values
        if (thread < 2 * units) {
            const bool is_query = thread < units;
            const int unit = is_query ? thread : thread - units, position = unit / (hd / 8), i = unit % (hd / 8) * 4;
            const float * column = qkv + static_cast<size_t>(position) * job.stride;
            const int to = position * row + i;
            const RopeFours rotated =
                job.rope.load<hd>(column + (is_query ? head : job.heads + kv_head) * hd, position, i);
            float * rows = is_query ? queries : keys;
            if (!is_query) {
                const float * value = column + (job.heads + job.kv_heads + kv_head) * hd + i;
                *reinterpret_cast<Four *>(values + to) = *reinterpret_cast<const Four *>(value);
                *reinterpret_cast<Four *>(values + to + hd / 2) = *reinterpret_cast<const Four *>(value + hd / 2);
            }
            *reinterpret_cast<Four *>(rows + to) = rotated.low;
            *reinterpret_cast<Four *>(rows + to + hd / 2) = rotated.high;
        }
    }
    inline void score() const {
        // two threads share a product of a query and a key
        for (int at = thread; at < (length * length * 2 + 31) / 32 * 32; at += threads) {
            const int pair = at / 2 < length * length ? at / 2 : 0, half = at % 2;
            const int q = pair / length, k = pair - q * length;
            // interleaved, so that they read different banks
            const float *query = queries + q * row + half * 4, *key = keys + k * row + half * 4;
            float sum[4] = {};
            SVC_UNROLL_BY(4)
            for (int d = 0; d < hd; d += 8) {
                const Four a = *reinterpret_cast<const Four *>(query + d), b = *reinterpret_cast<const Four *>(key + d);
                SVC_UNROLL
                for (int i = 0; i < 4; i++) sum[i] += a.v[i] * b.v[i];
            }
            float score = (sum[0] + sum[1]) + (sum[2] + sum[3]);
            score += shuffle_xor(score, 1);
            if (half == 0 && at / 2 < length * length) scores[q * most_local_positions + k] = score * job.scale;
        }
    }
};

template <typename Format, int HeadDim>
inline void local_attention(const LocalAttentionJob & job) {
    dependents_may_start();
    wait_for_inputs();
    const LocalHead<HeadDim> own{job};
    constexpr int hd = HeadDim;
    own.load();
    barrier();
    own.score();
    barrier();
    // each thread has four values of a query
    const int length = job.length, thread = thread_index();
    const bool wanted = thread < length * hd / 4;
    const int unit = wanted ? thread : 0, query = unit / (hd / 4), d = unit % (hd / 4) * 4;
    const float * score = own.scores + query * most_local_positions;
    float peak = score[0];
    for (int j = 1; j < length; j++) peak = larger(peak, score[j]);
    Four sum = {{0, 0, 0, 0}};
    float total = 0;
    SVC_UNROLL_BY(4)
    for (int j = 0; j < length; j++) {
        const float weight = exponential(score[j] - peak);
        const Four value = *reinterpret_cast<const Four *>(own.values + j * own.row + d);
        total += weight;
        SVC_UNROLL
        for (int i = 0; i < 4; i++) sum.v[i] += weight * value.v[i];
    }
    const float inverse = reciprocal(total);
    SVC_UNROLL
    for (int i = 0; i < 4; i++) sum.v[i] *= inverse;
    store_block<Format>(
        job.out, (own.head * hd + d) / block_depth, own.sequence * length + query, d % block_depth / 4, sum, wanted
    );
}

} // namespace svc::cuda
