// Keys and values of all sessions: pages of 64 positions of all layers, anywhere in memory, and a table of them.
#pragma once
#include <memory>
#include <vector>

#include "cuda/network.h"
#include "cuda/kernels/cached_attention.h"

namespace svc::cuda {

// A page of memory, given back with its last owner.
using Page = std::shared_ptr<uint16_t>;

class Cache {
public:
    // `slots`: places of sessions; one more has a page for the idle streams of a batch.
    Cache(Device & device, const Network & network, int slots);

    int most_pages() const { return most_pages_; }
    int spare_slot() const { return slots_; }
    // Fails with OUT_OF_MEMORY when all are taken.
    int take_slot();
    void give_slot(int slot) { free_.push_back(slot); }
    // Makes room for `positions` in a slot that has `pages`; fails with OUT_OF_MEMORY, and leaves them as they are then.
    void reserve(int slot, std::vector<Page> & pages, int positions);
    KvPages pages() const { return {table_, most_pages_, kv_heads_}; }
    // Keys and values of all layers.
    size_t position_bytes() const { return page_bytes_ / page_positions; }

private:
    Page make_page();

    Device & device_;
    const int slots_, kv_heads_;
    int most_pages_ = 0;
    size_t page_bytes_ = 0;
    Arena arena_;
    uint16_t ** table_ = nullptr; // [slot][most_pages]
    std::vector<int> free_;
    Page spare_;
};

} // namespace svc::cuda
