// The team's interface for kernels: plain data and functions out of line, so that code compiled for one instruction set
// is not used by others.
#pragma once
#include <cstdint>

namespace svc {

class Team;

// A thread of a team within a job. All members go through the same phases, in the same order.
struct Member {
    Team & team;
    const int index, size;
    uint32_t phase;
    int done = 0; // units of the phase that the others do not know of
    // of this thread, see product_amx-inl.h
    enum class TileShape { none, bytes, bfloats } tile_shape = TileShape::none;
};

// Units of a phase that the team can count: the counters of a member's part have 16 bits.
constexpr int most_units_per_member = 65535;

// A free unit of the phase, below `count`; -1 if none is left.
int take_unit(Member & member, int count);
// Goes to the next phase once all `count` units are done.
void end_phase(Member & member, int count);

// Where a part of `count` things begins if they are divided into so many. Static: compiled for several instruction sets.
static inline int part_start(int count, int part, int parts) {
    return static_cast<int>(static_cast<int64_t>(count) * part / parts);
}

// Computes unit(0) … unit(count - 1), each once and by any member, and returns when all are done.
template <typename Unit>
inline void share(Member & member, int count, const Unit & unit) {
    if (count == 0) return;
    // more of them are taken several at a time
    const int most = most_units_per_member * member.size, groups = count < most ? count : most;
    for (int next; (next = take_unit(member, groups)) >= 0; member.done++) {
        if (groups == count) unit(next);
        else
            for (int i = part_start(count, next, groups); i < part_start(count, next + 1, groups); i++) unit(i);
    }
    end_phase(member, groups);
}

// Enough units that a slow member delays the others little, and few enough that each has much to do at once.
constexpr int units_per_member = 16;

// The same for parts of a range: part(first, last).
template <typename Part>
inline void share_range(Member & member, int count, const Part & part) {
    const int most = units_per_member * member.size, units = count < most ? count : most;
    share(member, units, [&](int unit) { part(part_start(count, unit, units), part_start(count, unit + 1, units)); });
}

} // namespace svc
