// Copies keys and values of consecutive positions of a session out of its pages, or into them.
#pragma once
#include "cuda/kernels/cached_attention.h"

namespace svc::cuda {

struct RowsJob {
    KvPages pages = {};
    int slot = 0, first = 0, count = 0;
    uint16_t * rows = nullptr; // [layer][keys, values][kv_head][count][HeadDim]
    bool into_pages = false;
};

// A block for a layer, keys or values and a head.
template <int HeadDim>
inline void copy_rows(const RowsJob & job) {
    const int piece = block_x(), kv_head = piece % job.pages.kv_heads, which = piece / job.pages.kv_heads % 2,
              layer = piece / job.pages.kv_heads / 2;
    dependents_may_start();
    wait_for_inputs();
    for (int at = thread_index(); at < job.count * HeadDim / 8; at += 128) {
        const int position = job.first + at / (HeadDim / 8), i = at % (HeadDim / 8) * 8;
        uint16_t * page = job.pages.piece<HeadDim>(job.slot, position / page_positions, layer, which, kv_head) +
            position % page_positions * HeadDim + i;
        uint16_t * row = job.rows + static_cast<size_t>(piece) * job.count * HeadDim + at / (HeadDim / 8) * HeadDim + i;
        *reinterpret_cast<uint4_t *>(job.into_pages ? page : row) =
            *reinterpret_cast<const uint4_t *>(job.into_pages ? row : page);
    }
}

} // namespace svc::cuda
