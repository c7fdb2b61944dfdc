// Values by key, of which the least recently used leave first.
#pragma once
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace svc {

template <typename Value>
class RecentMap {
public:
    // nullptr if not found; valid until the value leaves.
    const Value * find(const std::string & key) {
        const auto found = places_.find(key);
        if (found == places_.end()) return nullptr;
        entries_.splice(entries_.begin(), entries_, found->second);
        return &found->second->value;
    }
    // Keeps a value that is there already. `bytes` is the size of the value.
    void put(const std::string & key, Value value, size_t bytes) {
        if (places_.count(key) > 0) return;
        entries_.push_front({key, std::move(value), 2 * key.size() + bytes});
        places_[key] = entries_.begin();
        bytes_ += entries_.front().bytes;
    }
    // Removes a value and returns it with its size.
    std::optional<std::pair<Value, size_t>> take(const std::string & key) {
        const auto found = places_.find(key);
        if (found == places_.end()) return std::nullopt;
        std::pair<Value, size_t> taken{std::move(found->second->value), found->second->bytes - 2 * key.size()};
        erase(found->second);
        return taken;
    }
    // Of all keys and values.
    size_t bytes() const { return bytes_; }
    void shrink(size_t max_bytes) {
        while (bytes_ > max_bytes) erase(std::prev(entries_.end()));
    }

private:
    struct Entry {
        std::string key;
        Value value;
        size_t bytes;
    };
    using Entries = std::list<Entry>;
    void erase(typename Entries::iterator entry) {
        bytes_ -= entry->bytes;
        places_.erase(entry->key);
        entries_.erase(entry);
    }

    size_t bytes_ = 0;
    Entries entries_; // most recently used first
    std::unordered_map<std::string, typename Entries::iterator> places_;
};

} // namespace svc
