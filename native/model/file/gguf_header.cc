#include "model/file/gguf_header.h"

#include <cstdint>
#include <cstring>
#include <string_view>

#include "runtime/error.h"
#include "ggml-executor/ggml.h"

namespace svc {
namespace {

// Far above the largest published model. The vocabulary is a single value.
constexpr uint64_t max_tensors = 4096, max_values = 4096, max_key_bytes = 65535, max_elements = uint64_t{1} << 40;
constexpr uint32_t max_alignment = 65536;

class Reader {
public:
    Reader(const char * data, size_t size, const std::string & path) : data_(data), size_(size), path_(path) {}

    template <typename Value>
    Value value() {
        Value result;
        std::memcpy(&result, take(sizeof(Value)), sizeof(Value));
        return result;
    }
    std::string_view text() {
        const uint64_t length = value<uint64_t>();
        return {take(length), static_cast<size_t>(length)};
    }
    const char * take(uint64_t bytes) {
        if (bytes > size_ - at_) refuse("the file is truncated: it ends within the header");
        const char * taken = data_ + at_;
        at_ += static_cast<size_t>(bytes);
        return taken;
    }
    // Requires `bytes` bytes for each of `count` elements.
    void require(uint64_t count, uint64_t bytes) {
        if (count > (size_ - at_) / bytes) refuse("the file is truncated: it ends within the header");
    }
    template <typename... Problem>
    [[noreturn]] void refuse(const Problem &... problem) const {
        fail("MODEL_INVALID", path_, ": ", problem...);
    }

private:
    const char * data_;
    size_t size_;
    size_t at_ = 0;
    const std::string & path_;
};

void check_array(Reader & reader) {
    const uint32_t type = reader.value<uint32_t>();
    const uint64_t count = reader.value<uint64_t>();
    if (type == GGUF_TYPE_STRING) {
        reader.require(count, sizeof(uint64_t));
        for (uint64_t i = 0; i < count; i++) reader.text();
    } else if (gguf_scalar_bytes(type) > 0) {
        reader.require(count, gguf_scalar_bytes(type));
        reader.take(count * gguf_scalar_bytes(type));
    } else {
        reader.refuse("unknown array type ", type, " in the metadata");
    }
}

void check_value(Reader & reader) {
    const std::string_view key = reader.text();
    if (key.empty() || key.size() > max_key_bytes)
        reader.refuse("metadata keys must have 1 to 65535 bytes, got ", key.size());
    const uint32_t type = reader.value<uint32_t>();
    if (key == "general.alignment") {
        if (type != GGUF_TYPE_UINT32) reader.refuse("general.alignment must be a uint32, got type ", type);
        const uint32_t alignment = reader.value<uint32_t>();
        if (alignment < 8 || alignment > max_alignment || (alignment & (alignment - 1)) != 0)
            reader.refuse("general.alignment must be a power of two from 8 to 65536, got ", alignment);
    } else if (type == GGUF_TYPE_STRING) {
        reader.text();
    } else if (type == GGUF_TYPE_ARRAY) {
        check_array(reader);
    } else if (gguf_scalar_bytes(type) > 0) {
        reader.take(gguf_scalar_bytes(type));
    } else {
        reader.refuse("unknown metadata type ", type);
    }
}

void check_tensor(Reader & reader) {
    const std::string_view name = reader.text();
    if (name.empty() || name.size() >= GGML_MAX_NAME)
        reader.refuse("tensor names must have 1 to 63 bytes, got ", name.size());
    const uint32_t dimensions = reader.value<uint32_t>();
    if (dimensions < 1 || dimensions > GGML_MAX_DIMS)
        reader.refuse("tensors must have 1 to 4 dimensions, got ", dimensions);
    uint64_t elements = 1;
    for (uint32_t i = 0; i < dimensions; i++) {
        const uint64_t length = reader.value<uint64_t>();
        if (length < 1 || length > max_elements / elements)
            reader.refuse("a tensor has the impossible dimension ", length);
        elements *= length;
    }
    reader.value<uint32_t>();
    reader.value<uint64_t>();
}

} // namespace

void check_gguf_header(const char * data, size_t size, const std::string & path) {
    Reader reader(data, size, path);
    if (size < 4 || std::memcmp(reader.take(4), GGUF_MAGIC, 4) != 0) reader.refuse("not a GGUF file");
    const uint32_t version = reader.value<uint32_t>();
    if (version != 2 && version != 3) reader.refuse("unsupported GGUF version ", version, " (supported: 2, 3)");
    const uint64_t tensors = reader.value<uint64_t>(), values = reader.value<uint64_t>();
    if (tensors < 1 || tensors > max_tensors) reader.refuse("the file must have 1 to 4096 tensors, got ", tensors);
    if (values > max_values) reader.refuse("the file must have at most 4096 metadata values, got ", values);
    for (uint64_t i = 0; i < values; i++) check_value(reader);
    for (uint64_t i = 0; i < tensors; i++) check_tensor(reader);
}

size_t gguf_scalar_bytes(uint32_t type) {
    switch (type) {
    case GGUF_TYPE_UINT8:
    case GGUF_TYPE_INT8:
    case GGUF_TYPE_BOOL: return 1;
    case GGUF_TYPE_UINT16:
    case GGUF_TYPE_INT16: return 2;
    case GGUF_TYPE_UINT32:
    case GGUF_TYPE_INT32:
    case GGUF_TYPE_FLOAT32: return 4;
    case GGUF_TYPE_UINT64:
    case GGUF_TYPE_INT64:
    case GGUF_TYPE_FLOAT64: return 8;
    default: return 0;
    }
}

} // namespace svc
