#include "cuda/cache.h"

#include "runtime/error.h"

namespace svc::cuda {

Cache::Cache(Device & device, const Network & network, int slots)
    : device_(device), slots_(slots), kv_heads_(network.base_lm.shape.kv_heads), arena_(device) {
    const StackShape & shape = network.base_lm.shape;
    const size_t layers = network.base_lm.layers.size() + network.residual_lm.layers.size();
    page_bytes_ = layers * 2 * kv_heads_ * page_positions * shape.head_padded * sizeof(uint16_t);
    most_pages_ = (network.config.context_length + page_positions - 1) / page_positions;
    table_ = arena_.array<uint16_t *>(static_cast<size_t>(slots + 1) * most_pages_);
    for (int slot = slots - 1; slot >= 0; slot--) free_.push_back(slot);
    std::vector<Page> pages;
    reserve(spare_slot(), pages, 1);
    spare_ = pages.front();
}

int Cache::take_slot() {
    if (free_.empty()) fail("OUT_OF_MEMORY", "too many sessions at once on the GPU (limit: ", slots_, ")");
    const int slot = free_.back();
    free_.pop_back();
    return slot;
}

Page Cache::make_page() {
    auto * memory = static_cast<uint16_t *>(device_.allocate(page_bytes_));
    return {memory, [&device = device_](uint16_t * page) { device.release(page); }};
}

void Cache::reserve(int slot, std::vector<Page> & pages, int positions) {
    const size_t needed = (static_cast<size_t>(positions) + page_positions - 1) / page_positions;
    std::vector<Page> added;
    std::vector<uint16_t *> places;
    while (pages.size() + added.size() < needed) {
        added.push_back(make_page());
        places.push_back(added.back().get());
    }
    if (added.empty()) return;
    device_.write(
        table_ + static_cast<size_t>(slot) * most_pages_ + pages.size(), places.data(),
        places.size() * sizeof(places[0])
    );
    pages.insert(pages.end(), added.begin(), added.end());
}

} // namespace svc::cuda
