// Attention of columns over the keys and values of their sequences, each up to its own position. The cache is in pages of
// 64 positions, anywhere in memory; a page of a layer and a head of keys is one piece. A block computes heads that share
// keys (a warp each) over some of the pages; the last block of a column to finish adds up. Where the columns are, and how
// long their sequences, is read from device memory: a recorded launch serves any of them.
#pragma once
#include "cuda/kernels/columns.h"
#include "cuda/kernels/rope.h"

namespace svc::cuda {

constexpr int page_positions = 64, most_splits = 16, most_heads_together = 8;
constexpr float lowest_score = -3.0e38f;

// Pages of all sequences: [layer][keys, values][kv_head][position of the page][HeadDim], bfloat16.
struct KvPages {
    uint16_t * const * pages = nullptr; // [slot][most_pages]
    int most_pages = 0, kv_heads = 0;

    template <int HeadDim>
    inline uint16_t * piece(int slot, int page, int layer, int which, int kv_head) const {
        return pages[slot * most_pages + page] +
            ((static_cast<size_t>(layer) * 2 + which) * kv_heads + kv_head) * page_positions * HeadDim;
    }
};

// Columns of the language models: the projections of each, and where it is.
struct CachedColumns {
    const float * qkv = nullptr; // [column][stride]
    int stride = 0;
    int heads = 0;
    int layer = 0;
    Rope rope = {};
    KvPages pages = {};
    const int * slots = nullptr;     // [column]
    const int * positions = nullptr; // [column]

    int group() const { return heads / pages.kv_heads; } // heads that share keys
};

struct CachedAttentionJob {
    CachedColumns columns = {};
    int together = 1; // heads of a block
    int splits = 1;
    // Whether the pages have the keys and values of the columns already. If not, the columns are of different slots, and
    // this kernel stores them.
    bool stored = false;
    float scale = 1;         // of a score
    float * parts = nullptr; // [column][block of heads][split][head][HeadDim + 2]
    int * arrived = nullptr; // [column][block of heads], zero between launches
    Columns out = {};
};

struct StoreKvJob {
    CachedColumns columns = {};
};

constexpr size_t cached_attention_shared(int heads_together, int head_dim) {
    return static_cast<size_t>(page_positions) * (2 * head_dim + 8) * 2 +
        static_cast<size_t>(heads_together) * (head_dim + page_positions) * sizeof(float) + 16;
}

// The key and the value of a column at 4 · unit and half a head further, as bfloat16: keys first.
template <int HeadDim>
inline void load_key_value(const CachedColumns & job, int column, int kv_head, int unit, uint2_t (&packed)[4]) {
    const float * from = job.qkv + static_cast<size_t>(column) * job.stride;
    const int i = unit * 4;
    const RopeFours key = job.rope.load<HeadDim>(from + (job.heads + kv_head) * HeadDim, job.positions[column], i);
    const float * value = from + (job.heads + job.pages.kv_heads + kv_head) * HeadDim + i;
    const Four fours[4] = {
        key.low, key.high, *reinterpret_cast<const Four *>(value), *reinterpret_cast<const Four *>(value + HeadDim / 2)
    };
    SVC_UNROLL
    for (int j = 0; j < 4; j++) {
        packed[j].x = bfloat_pair(fours[j].v[0], fours[j].v[1]);
        packed[j].y = bfloat_pair(fours[j].v[2], fours[j].v[3]);
    }
}

// A block stores the keys and values of a column.
template <int HeadDim>
inline void store_kv(const StoreKvJob & job) {
    const CachedColumns & columns = job.columns;
    const int column = block_x(), units = HeadDim / 8;
    dependents_may_start();
    wait_for_inputs();
    const int position = columns.positions[column], slot = columns.slots[column];
    const int page = position / page_positions, row = position % page_positions;
    for (int at = thread_index(); at < columns.pages.kv_heads * units; at += 128) {
        const int kv_head = at / units, unit = at % units;
        uint2_t packed[4];
        load_key_value<HeadDim>(columns, column, kv_head, unit, packed);
        SVC_UNROLL
        for (int j = 0; j < 4; j++) {
            uint16_t * to = columns.pages.piece<HeadDim>(slot, page, columns.layer, j / 2, kv_head) + row * HeadDim +
                j % 2 * HeadDim / 2 + unit * 4;
            *reinterpret_cast<uint2_t *>(to) = packed[j];
        }
    }
}

// What a block computes, and what it has in shared memory: a page of keys and of values, its queries, a page's weights.
template <int HeadDim>
struct CachedHeads {
    static_assert(HeadDim == 64 || HeadDim == 128);
    static constexpr int hd = HeadDim, half = hd / 2, key_row = hd + 8; // the padding spreads rows over the banks
    const CachedAttentionJob & job;
    const CachedColumns & columns = job.columns;
    const int together = job.together, threads = together * 32, thread = thread_index();
    const int first = block_z() * together, split = block_x(), n = block_y(), kv_head = first / columns.group();
    uint16_t * const keys = reinterpret_cast<uint16_t *>(shared_memory());
    uint16_t * const values = keys + page_positions * key_row;
    float * const queries = reinterpret_cast<float *>(values + page_positions * hd);
    float * const weights = queries + together * hd;
    int * const last = reinterpret_cast<int *>(weights + together * page_positions);
    const int position = columns.positions[n], slot = columns.slots[n], new_row = position % page_positions;
    const int pages = position / page_positions + 1, active = pages < job.splits ? pages : job.splits;

    inline bool is_new(int page, int row) const { return !job.stored && page == pages - 1 && row == new_row; }
    inline void fetch(int page) const {
        const uint16_t * from_keys = columns.pages.template piece<hd>(slot, page, columns.layer, 0, kv_head);
        const uint16_t * from_values = columns.pages.template piece<hd>(slot, page, columns.layer, 1, kv_head);
        for (int at = thread; at < page_positions * hd / 8; at += threads) {
            const int row = at / (hd / 8), i = at % (hd / 8) * 8;
            if (is_new(page, row)) continue;
            copy_async<16>(keys + row * key_row + i, from_keys + row * hd + i);
            copy_async<16>(values + row * hd + i, from_values + row * hd + i);
        }
    }
    inline void load_queries() const {
        const float * column = columns.qkv + static_cast<size_t>(n) * columns.stride;
        for (int at = thread; at < together * hd / 8; at += threads) {
            const int h = at / (hd / 8), i = at % (hd / 8) * 4;
            RopeFours x = columns.rope.template load<hd>(column + (first + h) * hd, position, i);
            SVC_UNROLL
            for (int j = 0; j < 4; j++) {
                x.low.v[j] *= job.scale;
                x.high.v[j] *= job.scale;
            }
            *reinterpret_cast<Four *>(queries + h * hd + i) = x.low;
            *reinterpret_cast<Four *>(queries + h * hd + half + i) = x.high;
        }
    }
    // The new key and value, from the other end of the threads, if this block has the last page.
    inline void add_new(int page) const {
        for (int at = threads - 1 - thread; at < hd / 8; at += threads) {
            uint2_t packed[4];
            load_key_value<hd>(columns, n, kv_head, at, packed);
            SVC_UNROLL
            for (int j = 0; j < 4; j++) {
                const int to = j % 2 * half + at * 4;
                uint16_t * mine = j < 2 ? keys + new_row * key_row : values + new_row * hd;
                uint16_t * all =
                    columns.pages.template piece<hd>(slot, page, columns.layer, j / 2, kv_head) + new_row * hd;
                *reinterpret_cast<uint2_t *>(mine + to) = packed[j];
                *reinterpret_cast<uint2_t *>(all + to) = packed[j];
            }
        }
    }
    // A lane computes the scores of two positions.
    inline void score(int page, float (&score)[2]) const {
        const int lane = thread % 32;
        const float * query = queries + thread / 32 * hd;
        SVC_UNROLL_BY(2)
        for (int d = 0; d < hd; d += 8) {
            const Four a = *reinterpret_cast<const Four *>(query + d),
                       b = *reinterpret_cast<const Four *>(query + d + 4);
            const float q[8] = {a.v[0], a.v[1], a.v[2], a.v[3], b.v[0], b.v[1], b.v[2], b.v[3]};
            SVC_UNROLL
            for (int j = 0; j < 2; j++) {
                const uint4_t eight = *reinterpret_cast<const uint4_t *>(keys + (lane + 32 * j) * key_row + d);
                const uint32_t pairs[4] = {eight.x, eight.y, eight.z, eight.w};
                SVC_UNROLL
                for (int i = 0; i < 4; i++) {
                    score[j] += q[2 * i] * float_of_bfloat(static_cast<uint16_t>(pairs[i]));
                    score[j] += q[2 * i + 1] * __builtin_bit_cast(float, pairs[i] & 0xffff0000u);
                }
            }
        }
        SVC_UNROLL
        for (int j = 0; j < 2; j++) {
            if (page * page_positions + lane + 32 * j > position) score[j] = lowest_score;
        }
    }
};

// Four values of a head: the sum of the values by the exponentials of their scores less `peak`, and of these.
struct Attended {
    float peak = lowest_score, total = 0;
    Four sum = {{0, 0, 0, 0}};

    template <int HeadDim>
    inline void add_page(const CachedHeads<HeadDim> & heads, int page) {
        constexpr int row_lanes = HeadDim / 4; // that share a row of values
        const int lane = heads.thread % 32;
        float score[2] = {0, 0};
        heads.score(page, score);
        const float most = larger(peak, warp_most(larger(score[0], score[1])));
        const float shrink = exponential(peak - most);
        const float weight[2] = {exponential(score[0] - most), exponential(score[1] - most)};
        float * weights = heads.weights + heads.thread / 32 * page_positions;
        weights[lane] = weight[0];
        weights[lane + 32] = weight[1];
        total = total * shrink + warp_sum(weight[0] + weight[1]);
        peak = most;
        warp_barrier();
        SVC_UNROLL
        for (int i = 0; i < 4; i++) sum.v[i] *= shrink;
        const int seen = heads.position + 1 - page * page_positions,
                  rows = seen < page_positions ? seen : page_positions;
        SVC_UNROLL_BY(4)
        for (int j = lane / row_lanes; j < rows; j += 32 / row_lanes) {
            const float w = weights[j];
            const uint2_t four = *reinterpret_cast<const uint2_t *>(heads.values + j * HeadDim + lane % row_lanes * 4);
            sum.v[0] += w * float_of_bfloat(static_cast<uint16_t>(four.x));
            sum.v[1] += w * __builtin_bit_cast(float, four.x & 0xffff0000u);
            sum.v[2] += w * float_of_bfloat(static_cast<uint16_t>(four.y));
            sum.v[3] += w * __builtin_bit_cast(float, four.y & 0xffff0000u);
        }
    }
    // Leaves this block's share in memory; the last block to finish adds up all. Returns whether this is it.
    template <int HeadDim>
    inline bool add_splits(const CachedHeads<HeadDim> & heads, int d, bool stores) {
        const CachedAttentionJob & job = heads.job;
        const int warp = heads.thread / 32, head_blocks = heads.columns.heads / heads.together;
        const size_t part_size = HeadDim + 2,
                     of_block = (static_cast<size_t>(heads.n) * head_blocks + block_z()) * job.splits;
        const auto part = [&](int which) {
            return job.parts + ((of_block + which) * heads.together + warp) * part_size;
        };
        float * mine = part(heads.split);
        if (stores) {
            for (int i = 0; i < 4; i++) mine[d + i] = sum.v[i];
        }
        if (heads.thread % 32 == 0) {
            mine[HeadDim] = peak;
            mine[HeadDim + 1] = total;
        }
        fence();
        barrier();
        int * arrived = job.arrived + heads.n * head_blocks + block_z();
        if (heads.thread == 0) *heads.last = atomic_add(arrived, 1) == heads.active - 1;
        barrier();
        if (!*heads.last) return false;
        fence();
        if (heads.thread == 0) *arrived = 0;
        float most = lowest_score;
        for (int i = 0; i < heads.active; i++) most = larger(most, part(i)[HeadDim]);
        total = 0;
        sum = {{0, 0, 0, 0}};
        for (int i = 0; i < heads.active; i++) {
            const float * other = part(i);
            const float shrink = exponential(other[HeadDim] - most);
            total += other[HeadDim + 1] * shrink;
            for (int j = 0; j < 4; j++) sum.v[j] += other[d + j] * shrink;
        }
        return true;
    }
};

template <typename Format, int HeadDim>
inline void cached_attention(const CachedAttentionJob & job) {
    constexpr int hd = HeadDim, row_lanes = hd / 4;
    dependents_may_start();
    const CachedHeads<hd> heads{job};
    // earlier keys and values do not depend on the launch before this one, if that did not store them
    if (job.stored) wait_for_inputs();
    if (heads.split < heads.active) heads.fetch(heads.split);
    copy_commit();
    if (!job.stored) wait_for_inputs();
    if (heads.split >= heads.active) {
        copy_wait(0);
        return;
    }
    heads.load_queries();
    Attended attended;
    for (int page = heads.split; page < heads.pages; page += heads.active) {
        if (page != heads.split) {
            heads.fetch(page);
            copy_commit();
        }
        if (!job.stored && page == heads.pages - 1) heads.add_new(page);
        copy_wait(0);
        barrier();
        attended.add_page(heads, page);
        barrier();
    }
    Four & sum = attended.sum;
    for (int mask = row_lanes; mask < 32; mask *= 2) {
        SVC_UNROLL
        for (int i = 0; i < 4; i++) sum.v[i] += shuffle_xor(sum.v[i], mask);
    }
    const int lane = heads.thread % 32, d = lane % row_lanes * 4, head = heads.first + heads.thread / 32;
    const bool stores = lane < row_lanes;
    if (heads.active > 1 && !attended.add_splits(heads, d, stores)) return;
    const float inverse = reciprocal(attended.total);
    SVC_UNROLL
    for (int i = 0; i < 4; i++) sum.v[i] *= inverse;
    store_block<Format>(job.out, (head * hd + d) / block_depth, heads.n, d % block_depth / 4, sum, stores);
}

} // namespace svc::cuda
