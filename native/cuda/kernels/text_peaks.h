// Where a column's attention to the text of its sequence is largest, per head: see peak_of() of the CPU kernels.
#pragma once
#include "cuda/kernels/cached_attention.h"

namespace svc::cuda {

struct TextPeaksJob {
    CachedColumns columns = {};
    float scale = 1;
    const int * text = nullptr; // [column][first cell, number of cells]; none: 0 cells
    float * out = nullptr;      // [column][layers · heads]
    int stride = 0;             // of out
};

constexpr size_t text_peaks_shared(int head_dim) { return head_dim * sizeof(float); }

// One warp for a head of a column; the pages have the text already.
template <int HeadDim>
inline void text_peaks(const TextPeaksJob & job) {
    constexpr int hd = HeadDim, half = hd / 2;
    const CachedColumns & columns = job.columns;
    const int lane = thread_index(), head = block_x(), n = block_y(), kv_head = head / columns.group();
    float * query = reinterpret_cast<float *>(shared_memory());
    dependents_may_start();
    wait_for_inputs();
    const int first = job.text[2 * n], count = job.text[2 * n + 1], slot = columns.slots[n];
    if (count == 0) return;
    const float * column = columns.qkv + static_cast<size_t>(n) * columns.stride;
    if (lane < hd / 8) {
        const RopeFours x = columns.rope.load<hd>(column + head * hd, columns.positions[n], lane * 4);
        SVC_UNROLL
        for (int j = 0; j < 4; j++) {
            query[lane * 4 + j] = x.low.v[j] * job.scale;
            query[half + lane * 4 + j] = x.high.v[j] * job.scale;
        }
    }
    warp_barrier();
    const auto score_of = [&](int cell) {
        const int position = first + cell;
        const uint16_t * key = columns.pages.piece<hd>(slot, position / page_positions, columns.layer, 0, kv_head) +
            position % page_positions * hd;
        float sum = 0;
        for (int d = 0; d < hd; d++) sum += query[d] * float_of_bfloat(key[d]);
        return sum;
    };
    float best = -3.0e38f;
    int place = 0;
    for (int cell = lane; cell < count; cell += 32) {
        const float score = score_of(cell);
        if (score > best) {
            best = score;
            place = cell;
        }
    }
    SVC_UNROLL
    for (int mask = 16; mask > 0; mask /= 2) {
        const float other = shuffle_xor(best, mask), other_place = shuffle_xor(static_cast<float>(place), mask);
        // the first of equal ones
        if (other > best || (other == best && other_place < static_cast<float>(place))) {
            best = other;
            place = static_cast<int>(other_place);
        }
    }
    if (lane != 0) return;
    float sum = 0, moment = 0;
    for (int cell = place > 0 ? place - 1 : 0; cell <= place + 1 && cell < count; cell++) {
        const float weight = exponential(score_of(cell) - best);
        sum += weight;
        moment += weight * static_cast<float>(cell - place);
    }
    job.out[static_cast<size_t>(n) * job.stride + columns.layer * columns.heads + head] =
        static_cast<float>(place) + moment / sum;
}

} // namespace svc::cuda
