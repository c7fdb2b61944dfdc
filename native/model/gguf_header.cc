#include "model/gguf_header.h"

#include <cstdint>
#include <cstring>
#include <string_view>

#include "runtime/error.h"
#include "runtime/ggml.h"

namespace svc {
namespace {

// Many times what the largest published model has; the vocabulary is one value.
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
        if (bytes > size_ - at_) refuse("a whole header", "a file that ends early");
        const char * taken = data_ + at_;
        at_ += static_cast<size_t>(bytes);
        return taken;
    }
    // At least `bytes` for each of `count` follow.
    void require(uint64_t count, uint64_t bytes) {
        if (count > (size_ - at_) / bytes) refuse("a whole header", "a file that ends early");
    }
    template <typename Received>
    [[noreturn]] void refuse(const char * expected, const Received & received) const {
        fail("MODEL_INVALID", "expected ", expected, " in a GGUF file, received ", received, ": ", path_);
    }

private:
    const char * data_;
    size_t size_;
    size_t at_ = 0;
    const std::string & path_;
};

// Bytes of a value; 0 for those of other sizes.
uint64_t width(uint32_t type) {
    switch (type) {
        case GGUF_TYPE_UINT8: case GGUF_TYPE_INT8: case GGUF_TYPE_BOOL: return 1;
        case GGUF_TYPE_UINT16: case GGUF_TYPE_INT16: return 2;
        case GGUF_TYPE_UINT32: case GGUF_TYPE_INT32: case GGUF_TYPE_FLOAT32: return 4;
        case GGUF_TYPE_UINT64: case GGUF_TYPE_INT64: case GGUF_TYPE_FLOAT64: return 8;
        default: return 0;
    }
}

void check_array(Reader & reader) {
    const uint32_t type = reader.value<uint32_t>();
    const uint64_t count = reader.value<uint64_t>();
    if (type == GGUF_TYPE_STRING) {
        reader.require(count, sizeof(uint64_t));
        for (uint64_t i = 0; i < count; i++) reader.text();
    } else if (width(type) > 0) {
        reader.require(count, width(type));
        reader.take(count * width(type));
    } else {
        reader.refuse("arrays of numbers or texts", type);
    }
}

void check_value(Reader & reader) {
    const std::string_view key = reader.text();
    if (key.empty() || key.size() > max_key_bytes) reader.refuse("keys of 1 to 65535 bytes", key.size());
    const uint32_t type = reader.value<uint32_t>();
    if (key == "general.alignment") {
        if (type != GGUF_TYPE_UINT32) reader.refuse("a uint32 as general.alignment", type);
        const uint32_t alignment = reader.value<uint32_t>();
        if (alignment < 8 || alignment > max_alignment || (alignment & (alignment - 1)) != 0) reader.refuse("a power of two from 8 to 65536 as general.alignment", alignment);
    } else if (type == GGUF_TYPE_STRING) {
        reader.text();
    } else if (type == GGUF_TYPE_ARRAY) {
        check_array(reader);
    } else if (width(type) > 0) {
        reader.take(width(type));
    } else {
        reader.refuse("a known type of metadata", type);
    }
}

void check_tensor(Reader & reader) {
    const std::string_view name = reader.text();
    if (name.empty() || name.size() >= GGML_MAX_NAME) reader.refuse("tensor names of 1 to 63 bytes", name.size());
    const uint32_t dimensions = reader.value<uint32_t>();
    if (dimensions < 1 || dimensions > GGML_MAX_DIMS) reader.refuse("tensors of 1 to 4 dimensions", dimensions);
    uint64_t elements = 1;
    for (uint32_t i = 0; i < dimensions; i++) {
        const uint64_t length = reader.value<uint64_t>();
        if (length < 1 || length > max_elements / elements) reader.refuse("dimensions of a tensor that can be", length);
        elements *= length;
    }
    reader.value<uint32_t>();
    reader.value<uint64_t>();
}

} // namespace

void check_gguf_header(const char * data, size_t size, const std::string & path) {
    Reader reader(data, size, path);
    if (size < 4 || std::memcmp(reader.take(4), GGUF_MAGIC, 4) != 0) fail("MODEL_INVALID", "expected a GGUF file for the model path, received ", path, " (it does not begin with GGUF)");
    const uint32_t version = reader.value<uint32_t>();
    if (version != 2 && version != 3) reader.refuse("version 2 or 3", version);
    const uint64_t tensors = reader.value<uint64_t>(), values = reader.value<uint64_t>();
    if (tensors < 1 || tensors > max_tensors) reader.refuse("1 to 4096 tensors", tensors);
    if (values > max_values) reader.refuse("at most 4096 metadata values", values);
    for (uint64_t i = 0; i < values; i++) check_value(reader);
    for (uint64_t i = 0; i < tensors; i++) check_tensor(reader);
}

} // namespace svc
