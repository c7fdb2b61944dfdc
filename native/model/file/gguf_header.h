// The header of a GGUF file: its metadata and where its tensors lie.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/file/tensor_type.h"

namespace svc {

// Types of metadata, with the numbers of the format.
enum class ValueType : uint32_t {
    uint8,
    int8,
    uint16,
    int16,
    uint32,
    int32,
    float32,
    boolean,
    text,
    array,
    uint64,
    int64,
    float64
};

// Size of a scalar in bytes; 0 for other types.
size_t scalar_bytes(ValueType type);

// A value in the header, whose bytes it points to.
struct MetadataValue {
    ValueType type = ValueType::uint8; // of an array: of its elements
    bool is_array = false;
    uint64_t count = 1;
    const char * data = nullptr; // of the first element; texts have a length of 8 bytes before them

    // Short, for messages: `u32`, `str`, `arr`.
    const char * type_name() const;
    // A scalar at an index, of any numeric type or a boolean.
    double number(uint64_t index = 0) const;
    // Calls visit(text) for each of the texts.
    template <typename Visit>
    void each_text(const Visit & visit) const {
        const char * at = data;
        for (uint64_t i = 0; i < count; i++) {
            const std::string_view text = text_at(at);
            visit(text);
            at = text.data() + text.size();
        }
    }

private:
    static std::string_view text_at(const char * at);
};

// A tensor as the header describes it.
struct TensorInfo {
    static constexpr int most_dimensions = 4;
    std::string name;
    TensorType type = TensorType::f32;
    int dimensions = 0;
    int64_t shape[most_dimensions] = {1, 1, 1, 1}; // innermost first
    uint64_t offset = 0;                           // of its values from the first tensor's, in bytes

    int64_t count() const { return shape[0] * shape[1] * shape[2] * shape[3]; }
    // Bytes of `values` values, whole blocks.
    int64_t bytes_of(int64_t values) const { return values / traits_of(type)->values * traits_of(type)->bytes; }
    int64_t bytes() const { return bytes_of(count()); }
    int64_t row_bytes() const { return bytes_of(shape[0]); }
};

struct GgufHeader {
    std::vector<std::pair<std::string, MetadataValue>> values;
    std::vector<TensorInfo> tensors; // in file order
    size_t data_offset = 0;          // of the first tensor, from the beginning of the file
};

// Reads the header of a file of `size` bytes from its first ones, which its values point to; nothing if it is longer than these.
// Fails with MODEL_INVALID where the file could not be read to its end by it.
std::optional<GgufHeader> read_gguf_header(std::string_view bytes, size_t size, const std::string & path);

} // namespace svc
