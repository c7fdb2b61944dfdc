// Rotary position embedding. A table has cos and sin of half the angles of a head for each position; value i of a head is
// paired with value i + HeadDim / 2. Heads narrower than HeadDim are padded with zeros at the end of both halves.
#pragma once
#include "cuda/kernels/columns.h"

namespace svc::cuda {

// Four neighbors of the first half of a head, and their partners of the second half.
struct RopeFours {
    Four low, high;
};

struct Rope {
    const float * table = nullptr; // [position][HeadDim]; null: no rotation

    template <int HeadDim>
    inline RopeFours load(const float * head, int position, int i) const {
        constexpr int half = HeadDim / 2;
        RopeFours x = {*reinterpret_cast<const Four *>(head + i), *reinterpret_cast<const Four *>(head + half + i)};
        if (!table) return x;
        const float * angles = table + static_cast<size_t>(position) * HeadDim;
        const Four cosine = *reinterpret_cast<const Four *>(angles + i),
                   sine = *reinterpret_cast<const Four *>(angles + half + i);
        RopeFours y;
        SVC_UNROLL
        for (int j = 0; j < 4; j++) {
            y.low.v[j] = x.low.v[j] * cosine.v[j] - x.high.v[j] * sine.v[j];
            y.high.v[j] = x.high.v[j] * cosine.v[j] + x.low.v[j] * sine.v[j];
        }
        return y;
    }
};

} // namespace svc::cuda
