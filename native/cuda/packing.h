// Matrices in the order in which products read them; see kernels/columns.h.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "cuda/kernels/columns.h"

namespace svc::cuda {

// Weights and columns: bytes by bytes, bfloat16 by bfloat16, bytes by bfloat16 (for many columns), float16 by float16.
enum class Format { bytes, bfloats, mixed, halves };

inline bool byte_weights(Format format) { return format == Format::bytes || format == Format::mixed; }
inline bool byte_columns(Format format) { return format == Format::bytes; }
inline int step_bytes(Format format) { return byte_weights(format) ? Bytes::step_bytes : Bfloats::step_bytes; }
inline int block_bytes(Format format) { return byte_columns(format) ? Bytes::block_bytes : Bfloats::block_bytes; }
inline const char * name_of(Format format) {
    constexpr const char * names[] = {"i8", "bf16", "mixed", "f16"};
    return names[static_cast<int>(format)];
}
// In the names of kernels that only write or read columns.
inline const char * column_name(Format format) { return byte_columns(format) ? "i8" : "bf16"; }

// Products compute whole blocks of rows.
inline int padded(int rows) { return (rows + block_depth - 1) / block_depth * block_depth; }
// The rows of a gated product: 32 of the gate, 32 of the other, and so on.
inline int gated_row(int row, bool gate) { return row / 32 * 64 + (gate ? 0 : 32) + row % 32; }

struct PackedMatrix {
    Format format;
    int rows, steps; // of 16 · tiles, and of the depth
    std::vector<uint8_t> data;

    // `rows` and `depth` as the model has them; padded with zeros to whole `unit` rows and steps.
    PackedMatrix(Format format, int rows, int depth, int unit = block_depth);
    // Quantizes as Q8_0, or rounds. `values` has `depth` values.
    void set_row(int row, const float * values, int depth);
};

} // namespace svc::cuda
