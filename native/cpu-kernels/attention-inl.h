// Attention of several queries to the same keys and values, a block of keys at a time with a running softmax. The result
// of a query does not depend on the others.
#include "cpu-kernels/peak.h"

namespace svc {
namespace SVC_ISA {

// Queries and vectors of a value whose sums stay in registers together.
constexpr int queries_together = registers < 32 ? 2 : 4, vectors_together = queries_together;
constexpr int key_vectors = key_block / 16;

// A query: head_dim floats; it sees the first `seen` keys.
struct Query {
    const float * values;
    float * out;
    int seen;
};

// scores of Q queries for the first V vectors of a block of keys [head_dim][key_block]. Fetch: loads the next block, at
// `next`, into the cache; a processor's own prefetching stops at each page, and restarts at each block.
template <int Q, int V, bool Fetch>
inline void score(
    const Query * queries, const float * keys, int head_dim, float scale, float * scores, const float * next
) {
    F32x16 sum[Q * V];
#pragma GCC unroll 8
    for (int i = 0; i < Q * V; i++) sum[i] = f_zero();
    for (int d = 0; d < head_dim; d++) {
        F32x16 key[V];
#pragma GCC unroll 2
        for (int v = 0; v < V; v++) {
            key[v] = f_load(keys + d * key_block + v * 16);
            if (Fetch) prefetch<1>(next + d * key_block + v * 16);
        }
#pragma GCC unroll 4
        for (int q = 0; q < Q; q++) {
            const F32x16 value = f_set(queries[q].values[d]);
#pragma GCC unroll 2
            for (int v = 0; v < V; v++) sum[q * V + v] = f_fma(value, key[v], sum[q * V + v]);
        }
    }
#pragma GCC unroll 4
    for (int q = 0; q < Q; q++) {
#pragma GCC unroll 2
        for (int v = 0; v < V; v++) f_store(scores + q * key_block + v * 16, f_mul(sum[q * V + v], f_set(scale)));
    }
}

// sums of Q queries += weights · values, for V vectors of the values. Fetch: as in score.
template <int Q, int V, bool Fetch>
inline void add_values(
    const float * weights, const float * values, size_t stride, int count, float * sums, size_t sum_stride,
    const float * next
) {
    F32x16 sum[Q * V];
#pragma GCC unroll 4
    for (int q = 0; q < Q; q++) {
#pragma GCC unroll 4
        for (int v = 0; v < V; v++) sum[q * V + v] = f_load(sums + q * sum_stride + v * 16);
    }
    for (int j = 0; j < count; j++) {
        F32x16 value[V];
#pragma GCC unroll 4
        for (int v = 0; v < V; v++) {
            value[v] = f_load(values + j * stride + v * 16);
            if (Fetch) prefetch<1>(next + j * stride + v * 16);
        }
#pragma GCC unroll 4
        for (int q = 0; q < Q; q++) {
            const F32x16 weight = f_set(weights[q * key_block + j]);
#pragma GCC unroll 4
            for (int v = 0; v < V; v++) sum[q * V + v] = f_fma(weight, value[v], sum[q * V + v]);
        }
    }
#pragma GCC unroll 4
    for (int q = 0; q < Q; q++) {
#pragma GCC unroll 4
        for (int v = 0; v < V; v++) f_store(sums + q * sum_stride + v * 16, sum[q * V + v]);
    }
}

template <int Q, bool Fetch>
inline void add_all_values(
    const float * weights, const float * values, size_t stride, int count, float * sums, size_t sum_stride,
    int head_dim, const float * next
) {
    int d = 0;
    for (; d + 16 * vectors_together <= head_dim; d += 16 * vectors_together)
        add_values<Q, vectors_together, Fetch>(weights, values + d, stride, count, sums + d, sum_stride, next + d);
    for (; d + 16 <= head_dim; d += 16)
        add_values<Q, 1, Fetch>(weights, values + d, stride, count, sums + d, sum_stride, next + d);
    for (; d < head_dim; d++) {
        for (int q = 0; q < Q; q++) {
            for (int j = 0; j < count; j++)
                sums[q * sum_stride + d] += weights[q * key_block + j] * values[j * stride + d];
        }
    }
}

// A running softmax: the largest score so far, and the sums of the weights relative to it.
struct Softmax {
    float peak;
    float total[16];
};

// Turns the scores of a block, of which the query sees `seen`, into weights. The sums are relative to the largest score,
// which rarely changes after the first blocks.
inline void online_softmax(float * scores, int seen, Softmax & softmax, float * sums, int width) {
    for (int j = seen; j < key_block; j++) scores[j] = -3.0e38f;
    F32x16 score[key_vectors];
    for (int v = 0; v < key_vectors; v++) score[v] = f_load(scores + v * 16);
    F32x16 most = score[0];
    for (int v = 1; v < key_vectors; v++) most = f_max(most, score[v]);
    F32x16 total = f_load(softmax.total);
    if (f_above(most, softmax.peak)) {
        const float peak = f_peak(most);
        const F32x16 factor = f_exp(f_set(softmax.peak - peak));
        total = f_mul(total, factor);
        for (int d = 0; d < width; d += 16) f_store(sums + d, f_mul(f_load(sums + d), factor));
        softmax.peak = peak;
    }
    for (int v = 0; v < key_vectors; v++) f_store(scores + v * 16, f_exp(f_sub(score[v], f_set(softmax.peak))));
    for (int j = seen; j < key_block; j++) scores[j] = 0;
    for (int v = 0; v < key_vectors; v++) total = f_add(total, f_load(scores + v * 16));
    f_store(softmax.total, total);
}

// Q queries and one block of keys and values, of which `count` rows are there.
template <int Q, bool Fetch>
inline void attend_block(
    const Query * queries, const float * keys, size_t key_stride, const float * values, size_t value_stride, int first,
    int count, int head_dim, float scale, Softmax * softmax, float * sums, int width
) {
    float scores[Q * key_block];
    if (count > 16) score<Q, key_vectors, Fetch>(queries, keys, head_dim, scale, scores, keys + key_stride);
    else score<Q, 1, false>(queries, keys, head_dim, scale, scores, nullptr);
#pragma GCC unroll 4
    for (int q = 0; q < Q; q++)
        online_softmax(
            scores + q * key_block, at_most(queries[q].seen - first, key_block), softmax[q], sums + q * width, width
        );
    add_all_values<Q, Fetch>(
        scores, values, value_stride, count, sums, width, head_dim, values + key_block * value_stride
    );
}

// softmax(query · keys) · values for each query. Block b of keys is at keys + b · key_stride, rows of values are
// `value_stride` apart. Each query sees at least one key, and no fewer than the query before it. `memory`:
// attention_floats().
inline void attend(
    const Query * queries, int count, const float * keys, size_t key_stride, const float * values, size_t value_stride,
    int head_dim, float * memory
) {
    const float scale = 1.0f / __builtin_sqrtf(static_cast<float>(head_dim));
    const int width = (head_dim + 15) / 16 * 16, last = queries[count - 1].seen;
    auto * softmax = reinterpret_cast<Softmax *>(memory);
    float * sums = memory + static_cast<size_t>(count) * sizeof(Softmax) / sizeof(float);
    for (int i = 0; i < count * width; i++) sums[i] = 0;
    for (int q = 0; q < count; q++) {
        softmax[q].peak = -3.0e38f;
        f_store(softmax[q].total, f_zero());
    }
    int q = 0;
    for (int first = 0; first < last; first += key_block, keys += key_stride, values += key_block * value_stride) {
        while (queries[q].seen <= first) q++;
        const int rows = at_most(last - first, key_block);
        int i = q;
        const auto run = [&](auto attend_these) {
            attend_these(
                queries + i, keys, key_stride, values, value_stride, first, rows, head_dim, scale, softmax + i,
                sums + i * width, width
            );
        };
        if (first + key_block < last && i + queries_together <= count) {
            run(attend_block<queries_together, true>);
            i += queries_together;
        }
        for (; i + queries_together <= count; i += queries_together) run(attend_block<queries_together, false>);
        for (; i < count; i++) run(attend_block<1, false>);
    }
    for (int i = 0; i < count; i++) {
        const F32x16 factor = f_set(1.0f / f_sum(f_load(softmax[i].total)));
        for (int d = 0; d < head_dim; d += 16)
            store_some(queries[i].out + d, f_mul(f_load(sums + i * width + d), factor), head_dim - d);
    }
}

// peak_of() the weights of a query among `count` keys from `first`. `memory`: count and two blocks.
inline float attention_peak(
    const float * query, const float * keys, size_t key_stride, int first, int count, int head_dim, float * memory
) {
    const Query one{query, nullptr, 0};
    const float scale = 1.0f / __builtin_sqrtf(static_cast<float>(head_dim));
    const int begin = first / key_block;
    for (int b = begin; b * key_block < first + count; b++)
        score<1, key_vectors, false>(
            &one, keys + b * key_stride, head_dim, scale, memory + (b - begin) * key_block, nullptr
        );
    float * weights = memory + first % key_block;
    float peak = weights[0];
    for (int j = 1; j < count; j++) peak = weights[j] > peak ? weights[j] : peak;
    for (int j = 0; j < count; j += 16)
        store_some(weights + j, f_exp(f_sub(load_some(weights + j, count - j), f_set(peak))), count - j);
    return peak_of(weights, count);
}

} // namespace SVC_ISA
} // namespace svc
