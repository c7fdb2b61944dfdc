#include "cuda/packing.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace svc::cuda {
PackedMatrix::PackedMatrix(Format format, int rows, int depth, int unit)
    : format(format), rows((rows + unit - 1) / unit * unit), steps((depth + step_depth - 1) / step_depth),
      data(static_cast<size_t>(this->rows / tile_rows) * steps * step_bytes(format)) {}

void PackedMatrix::set_row(int row, const float * values, int depth) {
    const int r = row % tile_rows;
    uint8_t * tile = data.data() + static_cast<size_t>(row / tile_rows) * steps * step_bytes(format);
    for (int first = 0; first < depth; first += block_depth) {
        float x[block_depth] = {};
        std::copy_n(values + first, std::min(block_depth, depth - first), x);
        uint8_t * step = tile + static_cast<size_t>(first / step_depth) * step_bytes(format);
        const int block = first / block_depth % step_blocks;
        if (!byte_weights(format)) {
            for (int k = 0; k < block_depth; k += 2) {
                const auto bits = format == Format::halves ? half_of : bfloat_of;
                const uint32_t two = bits(x[k]) | static_cast<uint32_t>(bits(x[k + 1])) << 16;
                const int lane = r % 8 * 4 + k / 8, half = k / 4 % 2;
                std::memcpy(
                    step + block * Bfloats::fragment_bytes + half * 512 + lane * 16 + (r / 8 + k % 4 / 2 * 2) * 4, &two,
                    4
                );
            }
            continue;
        }
        float peak = 0;
        for (float value : x) peak = std::max(peak, std::fabs(value));
        // as ggml rounds to Q8_0, so that its weights keep their bytes
        const float scale = peak / 127, inverse = scale > 0 ? 1 / scale : 0;
        int8_t bytes[block_depth];
        for (int k = 0; k < block_depth; k++) bytes[k] = static_cast<int8_t>(std::round(x[k] * inverse));
        for (int k = 0; k < block_depth; k += 4) {
            const int lane = r % 8 * 4 + k / 8, half = k / 4 % 2;
            std::memcpy(step + block * Bytes::fragment_bytes + lane * 16 + (r / 8 + 2 * half) * 4, bytes + k, 4);
        }
        const uint16_t half_scale = half_of(scale);
        std::memcpy(step + step_blocks * Bytes::fragment_bytes + r % 8 * 16 + block * 4 + r / 8 * 2, &half_scale, 2);
    }
}

} // namespace svc::cuda
