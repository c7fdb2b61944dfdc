// What the tile registers of Intel AMX hold, in the layout of its instruction. Plain data.
#pragma once
#include <cstdint>

namespace svc {

struct alignas(64) TileShapes {
    uint8_t palette = 1, start_row = 0, reserved[14] = {};
    uint16_t row_bytes[16] = {}; // of 8 registers
    uint8_t rows[16] = {};
};

} // namespace svc
