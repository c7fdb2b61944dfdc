#include "model/file/gguf_header.h"

#include <cstring>
#include <unordered_set>

#include "runtime/error.h"

namespace svc {
namespace {

// Far above the largest published model. The vocabulary is a single value.
constexpr uint64_t max_tensors = 4096, max_values = 4096, max_key_bytes = 65535, max_elements = uint64_t{1} << 40;
constexpr uint32_t max_alignment = 65536;
constexpr size_t max_tensor_name = 63;

template <typename Value>
Value value_at(const char * data) {
    Value value;
    std::memcpy(&value, data, sizeof(value));
    return value;
}

// The header goes on behind the bytes that are there.
struct Incomplete {};

class Reader {
public:
    Reader(std::string_view bytes, size_t size, const std::string & path) : bytes_(bytes), size_(size), path_(path) {}

    template <typename Value>
    Value value() {
        return value_at<Value>(take(sizeof(Value)));
    }
    std::string_view text() {
        const uint64_t length = value<uint64_t>();
        return {take(length), static_cast<size_t>(length)};
    }
    const char * take(uint64_t bytes) {
        if (bytes > size_ - at_) refuse("the file is truncated: it ends within the header");
        if (bytes > bytes_.size() - at_) throw Incomplete();
        const char * taken = bytes_.data() + at_;
        at_ += static_cast<size_t>(bytes);
        return taken;
    }
    const char * here() const { return bytes_.data() + at_; }
    size_t at() const { return at_; }
    // Requires `bytes` bytes for each of `count` elements.
    void require(uint64_t count, uint64_t bytes) {
        if (count > (size_ - at_) / bytes) refuse("the file is truncated: it ends within the header");
    }
    template <typename... Problem>
    [[noreturn]] void refuse(const Problem &... problem) const {
        fail("MODEL_INVALID", path_, ": ", problem...);
    }

private:
    const std::string_view bytes_; // the first of the file
    const size_t size_;            // of the file
    size_t at_ = 0;
    const std::string & path_;
};

MetadataValue read_array(Reader & reader) {
    const uint32_t type = reader.value<uint32_t>();
    MetadataValue value{.type = static_cast<ValueType>(type), .is_array = true, .count = reader.value<uint64_t>()};
    value.data = reader.here();
    if (value.type == ValueType::text) {
        reader.require(value.count, sizeof(uint64_t));
        for (uint64_t i = 0; i < value.count; i++) reader.text();
    } else if (const size_t bytes = scalar_bytes(value.type)) {
        reader.require(value.count, bytes);
        reader.take(value.count * bytes);
    } else {
        reader.refuse("unknown array type ", type, " in the metadata");
    }
    return value;
}

MetadataValue read_value(Reader & reader) {
    const uint32_t type = reader.value<uint32_t>();
    MetadataValue value{.type = static_cast<ValueType>(type)};
    if (value.type == ValueType::array) return read_array(reader);
    value.data = reader.here();
    if (value.type == ValueType::text) reader.text();
    else if (const size_t bytes = scalar_bytes(value.type)) reader.take(bytes);
    else reader.refuse("unknown metadata type ", type);
    return value;
}

uint32_t alignment_of(Reader & reader, const MetadataValue & value) {
    if (value.is_array || value.type != ValueType::uint32)
        reader.refuse(
            "general.alignment must be a uint32, got type ",
            static_cast<uint32_t>(value.is_array ? ValueType::array : value.type)
        );
    const auto alignment = value_at<uint32_t>(value.data);
    if (alignment < 8 || alignment > max_alignment || (alignment & (alignment - 1)) != 0)
        reader.refuse("general.alignment must be a power of two from 8 to 65536, got ", alignment);
    return alignment;
}

TensorInfo read_tensor(Reader & reader) {
    TensorInfo tensor;
    tensor.name = reader.text();
    if (tensor.name.empty() || tensor.name.size() > max_tensor_name)
        reader.refuse("tensor names must have 1 to 63 bytes, got ", tensor.name.size());
    const uint32_t dimensions = reader.value<uint32_t>();
    if (dimensions < 1 || dimensions > TensorInfo::most_dimensions)
        reader.refuse("tensors must have 1 to 4 dimensions, got ", dimensions);
    tensor.dimensions = static_cast<int>(dimensions);
    uint64_t elements = 1;
    for (uint32_t i = 0; i < dimensions; i++) {
        const uint64_t length = reader.value<uint64_t>();
        if (length < 1 || length > max_elements / elements)
            reader.refuse("a tensor has the impossible dimension ", length);
        elements *= length;
        tensor.shape[i] = static_cast<int64_t>(length);
    }
    const uint32_t type = reader.value<uint32_t>();
    tensor.type = static_cast<TensorType>(type);
    const TensorTypeTraits * traits = traits_of(tensor.type);
    if (!traits) reader.refuse("tensor \"", tensor.name, "\" has the unknown type ", type);
    if (tensor.shape[0] % traits->values != 0)
        reader.refuse(
            "rows of tensor \"", tensor.name, "\" of type ", traits->name, " must have a multiple of ", traits->values,
            " values, got ", tensor.shape[0]
        );
    tensor.offset = reader.value<uint64_t>();
    return tensor;
}

// Tensors follow each other, aligned.
void check_places(Reader & reader, const GgufHeader & header, uint32_t alignment, size_t size) {
    uint64_t expected = 0;
    for (const TensorInfo & tensor : header.tensors) {
        if (tensor.offset != expected)
            reader.refuse("tensor \"", tensor.name, "\" must be at offset ", expected, ", got ", tensor.offset);
        const uint64_t end = header.data_offset + tensor.offset + static_cast<uint64_t>(tensor.bytes());
        if (end > size)
            reader.refuse("the file is truncated: tensor \"", tensor.name, "\" ends at byte ", end, " of ", size);
        expected += (static_cast<uint64_t>(tensor.bytes()) + alignment - 1) / alignment * alignment;
    }
}

} // namespace

size_t scalar_bytes(ValueType type) {
    switch (type) {
    case ValueType::uint8:
    case ValueType::int8:
    case ValueType::boolean: return 1;
    case ValueType::uint16:
    case ValueType::int16: return 2;
    case ValueType::uint32:
    case ValueType::int32:
    case ValueType::float32: return 4;
    case ValueType::uint64:
    case ValueType::int64:
    case ValueType::float64: return 8;
    default: return 0;
    }
}

const char * MetadataValue::type_name() const {
    constexpr const char * names[] = {"u8",   "i8",  "u16", "i16", "u32", "i32", "f32",
                                      "bool", "str", "arr", "u64", "i64", "f64"};
    return names[static_cast<int>(is_array ? ValueType::array : type)];
}

double MetadataValue::number(uint64_t index) const {
    const char * at = data + index * scalar_bytes(type);
    switch (type) {
    case ValueType::uint8: return value_at<uint8_t>(at);
    case ValueType::int8: return value_at<int8_t>(at);
    case ValueType::uint16: return value_at<uint16_t>(at);
    case ValueType::int16: return value_at<int16_t>(at);
    case ValueType::uint32: return value_at<uint32_t>(at);
    case ValueType::int32: return value_at<int32_t>(at);
    case ValueType::uint64: return static_cast<double>(value_at<uint64_t>(at));
    case ValueType::int64: return static_cast<double>(value_at<int64_t>(at));
    case ValueType::float32: return value_at<float>(at);
    case ValueType::float64: return value_at<double>(at);
    default: return value_at<uint8_t>(at) != 0 ? 1 : 0;
    }
}

std::string_view MetadataValue::text_at(const char * at) {
    return {at + sizeof(uint64_t), static_cast<size_t>(value_at<uint64_t>(at))};
}

std::optional<GgufHeader> read_gguf_header(std::string_view bytes, size_t size, const std::string & path) try {
    Reader reader(bytes, size, path);
    if (size < 4 || std::memcmp(reader.take(4), "GGUF", 4) != 0) reader.refuse("not a GGUF file");
    const uint32_t version = reader.value<uint32_t>();
    if (version != 2 && version != 3) reader.refuse("unsupported GGUF version ", version, " (supported: 2, 3)");
    const uint64_t tensors = reader.value<uint64_t>(), values = reader.value<uint64_t>();
    if (tensors < 1 || tensors > max_tensors) reader.refuse("the file must have 1 to 4096 tensors, got ", tensors);
    if (values > max_values) reader.refuse("the file must have at most 4096 metadata values, got ", values);
    GgufHeader header;
    uint32_t alignment = 32;
    std::unordered_set<std::string> names;
    for (uint64_t i = 0; i < values; i++) {
        const std::string key(reader.text());
        if (key.empty() || key.size() > max_key_bytes)
            reader.refuse("metadata keys must have 1 to 65535 bytes, got ", key.size());
        if (!names.insert(key).second) reader.refuse("the metadata has ", key, " twice");
        header.values.emplace_back(key, read_value(reader));
        if (key == "general.alignment") alignment = alignment_of(reader, header.values.back().second);
    }
    names.clear();
    for (uint64_t i = 0; i < tensors; i++) {
        header.tensors.push_back(read_tensor(reader));
        if (!names.insert(header.tensors.back().name).second)
            reader.refuse("tensor \"", header.tensors.back().name, "\" is there twice");
    }
    header.data_offset = (reader.at() + alignment - 1) / alignment * alignment;
    check_places(reader, header, alignment, size);
    return header;
} catch (const Incomplete &) {
    return std::nullopt;
}

} // namespace svc
