// Caches computed values of recordings. A voice is used by many requests: its patches are embedded once, and a leading
// reference goes through the language models once, with each adapter.
#pragma once
#include <list>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/network.h"
#include "model/prefix.h"
#include "model/session.h"

namespace svc {

// Evicts the least recently used entries when the total size exceeds the limit.
template <typename Value>
class RecentMap {
public:
    explicit RecentMap(size_t max_bytes) : max_bytes_(max_bytes) {}
    // nullptr if not found; valid until the next put().
    const std::vector<Value> * find(const std::string & key) {
        const auto found = places_.find(key);
        if (found == places_.end()) return nullptr;
        entries_.splice(entries_.begin(), entries_, found->second);
        return &found->second->second;
    }
    void put(const std::string & key, std::vector<Value> values) {
        if (places_.count(key) > 0) return;
        bytes_ += size_of(key, values);
        entries_.emplace_front(key, std::move(values));
        places_[key] = entries_.begin();
        while (bytes_ > max_bytes_ && entries_.size() > 1) {
            bytes_ -= size_of(entries_.back().first, entries_.back().second);
            places_.erase(entries_.back().first);
            entries_.pop_back();
        }
    }

private:
    using Entry = std::pair<std::string, std::vector<Value>>;
    static size_t size_of(const std::string & key, const std::vector<Value> & values) { return 2 * key.size() + values.size() * sizeof(Value); }

    size_t max_bytes_, bytes_ = 0;
    std::list<Entry> entries_;
    std::unordered_map<std::string, typename std::list<Entry>::iterator> places_;
};

class VoiceMemory {
public:
    VoiceMemory(const Network & network, const Compute & compute) : network_(network), compute_(compute) {}

    // Embeddings of patches, [patch_size · feature_dim] → [hidden] each: starts with the remembered ones and computes
    // the others in slices.
    struct Embedding {
        const std::vector<float> & patches;
        const AdapterUse & adapter;
        std::vector<float> values;
        std::vector<size_t> missing;
        size_t done = 0; // number of missing ones computed
    };
    Embedding begin_embedding(const std::vector<float> & patches, const AdapterUse & adapter);
    // Computes the next slice; returns false if none is left.
    bool embed(Embedding & embedding);
    // Fills the first rows of the slot's caches if the prefix starts with a remembered reference, and returns their
    // number. The slot must have room for them.
    int restore(const Prefix & prefix, Slot & slot);
    // Number of positions of the prefix that remember() reads.
    int remembers(const Prefix & prefix) const;
    // Remembers those rows of a slot; its caches must hold them.
    void remember(const Prefix & prefix, const Slot & slot);

private:
    std::vector<float> compute_embeddings(const std::vector<float> & patches, const AdapterUse & adapter) const;

    const Network & network_;
    const Compute & compute_;
    RecentMap<float> embeddings_{size_t{48} << 20};
    RecentMap<char> references_{size_t{96} << 20};
};

} // namespace svc
