// Keys and values of the positions that prefixes begin with. The rows of a position depend only on the positions up to
// it and on the adapter, so a prefix that begins like an earlier one takes over its rows and gets exactly the values that
// it would compute.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/session/prefix.h"
#include "model/session/recent_map.h"
#include "model/session/session.h"

namespace svc {

// The same for the same computed values, in one model.
std::string adapter_key(const AdapterUse & use);

// Rows are remembered in blocks of positions, found by the positions themselves and by the block before: what prefixes
// share is remembered once.
class PrefixMemory {
public:
    PrefixMemory(const Config & config, Executor & executor) : config_(config), executor_(executor) {}

    // Positions of a block: few, as a prefix takes over only whole ones.
    static constexpr int block = 8;

    // Fills the first rows of the session's caches with the longest remembered beginning of the prefix, and returns their
    // number. At least one position is left to compute. The caches must have room.
    int restore(const Prefix & prefix, Session & session);
    // Remembers the whole blocks of the first `count` rows of a session.
    void remember(const Prefix & prefix, const Session & session, int count);
    size_t bytes() const { return fresh_.bytes() + proven_.bytes(); }

private:
    struct Block {
        uint64_t number; // part of the key of the next block; never reused
        std::unique_ptr<Saved> rows;
    };
    class Walk;
    const Block * find(const std::string & key);
    // Marks found blocks as used, the first ones last: those behind them are of no use without them, so they leave first.
    void touch(const std::vector<std::string> & keys);

    const Config & config_;
    Executor & executor_;
    uint64_t numbers_ = 0;
    // Blocks that were wanted once, and those that were wanted again, which texts used once can't replace.
    RecentMap<Block> fresh_, proven_;
};

} // namespace svc
