// Attention masks: which cache cells a column attends to.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace svc {

// float16 [kv_length, columns]: 0 up to cell `first + i` for column i, -inf after it.
inline std::vector<uint16_t> causal_mask(int kv_length, int first, int columns) {
    constexpr uint16_t half_zero = 0x0000, half_minus_infinity = 0xfc00;
    std::vector<uint16_t> mask(static_cast<size_t>(kv_length) * columns, half_minus_infinity);
    for (int i = 0; i < columns; i++)
        std::fill_n(mask.begin() + static_cast<size_t>(i) * kv_length, first + i + 1, half_zero);
    return mask;
}

} // namespace svc
