#include "model/session/prefix_memory.h"

#include <algorithm>

namespace svc {
namespace {

// Twenty recordings of ten seconds with VoxCPM 2, sixty with VoxCPM-0.5B.
constexpr size_t max_bytes = size_t{96} << 20;
// So that new voices always find room.
constexpr size_t max_proven_bytes = max_bytes / 4 * 3;

template <typename Value>
void append(std::string & bytes, const Value * values, size_t count) {
    bytes.append(reinterpret_cast<const char *>(values), count * sizeof(Value));
}

} // namespace

std::string adapter_key(const AdapterUse & use) {
    std::string bytes;
    const int number = use.adapter ? use.number : 0;
    const float weight = use.adapter ? use.weight : 0;
    append(bytes, &number, 1);
    append(bytes, &weight, 1);
    return bytes;
}

// Goes through the blocks of a prefix.
class PrefixMemory::Walk {
public:
    Walk(const Prefix & prefix, const Session & session, const Config & config)
        : prefix_(prefix), adapter_(adapter_key(session.adapter)), patch_values_(config.patch_values()) {}
    // First position of the current block.
    int begin() const { return begin_; }
    // Key of the current block.
    std::string key() const {
        std::string bytes = adapter_;
        append(bytes, &before_, 1);
        append(bytes, prefix_.tokens.data() + begin_, block);
        append(bytes, prefix_.audio.data() + begin_, block);
        append(bytes, prefix_.features.data() + first_patch_ * patch_values_, patches() * patch_values_);
        return bytes;
    }
    // Continues behind the current block, which has this number.
    void pass(uint64_t number) {
        first_patch_ += patches();
        begin_ += block;
        before_ = number;
    }

private:
    size_t patches() const {
        return std::count(prefix_.audio.begin() + begin_, prefix_.audio.begin() + begin_ + block, 1);
    }

    const Prefix & prefix_;
    const std::string adapter_;
    const size_t patch_values_;
    uint64_t before_ = 0;
    int begin_ = 0;
    size_t first_patch_ = 0;
};

const PrefixMemory::Block * PrefixMemory::find(const std::string & key) {
    if (auto again = fresh_.take(key)) proven_.put(key, std::move(again->first), again->second);
    return proven_.find(key);
}

void PrefixMemory::touch(const std::vector<std::string> & keys) {
    for (auto key = keys.rbegin(); key != keys.rend(); ++key) proven_.find(*key);
}

int PrefixMemory::restore(const Prefix & prefix, Session & session) {
    const int total = static_cast<int>(prefix.tokens.size());
    Walk walk(prefix, session, config_);
    std::vector<std::string> keys;
    while (walk.begin() + block < total) {
        std::string key = walk.key();
        const Block * known = find(key);
        if (!known) break;
        executor_.write(*session.memory, walk.begin(), block, *known->rows);
        walk.pass(known->number);
        keys.push_back(std::move(key));
    }
    touch(keys);
    return walk.begin();
}

void PrefixMemory::remember(const Prefix & prefix, const Session & session, int count) {
    Walk walk(prefix, session, config_);
    std::vector<std::string> keys;
    std::vector<std::pair<std::string, Block>> made;
    while (walk.begin() + block <= count) {
        std::string key = walk.key();
        if (const Block * known = made.empty() ? find(key) : nullptr) {
            walk.pass(known->number);
            keys.push_back(std::move(key));
            continue;
        }
        Block & added =
            made.emplace_back(std::move(key), Block{++numbers_, executor_.read(*session.memory, walk.begin(), block)})
                .second;
        walk.pass(added.number);
    }
    touch(keys);
    for (auto entry = made.rbegin(); entry != made.rend(); ++entry) {
        const size_t bytes = entry->second.rows->bytes();
        fresh_.put(entry->first, std::move(entry->second), bytes);
    }
    proven_.shrink(max_proven_bytes);
    fresh_.shrink(max_bytes - proven_.bytes());
}

} // namespace svc
