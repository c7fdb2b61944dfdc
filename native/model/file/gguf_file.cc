#include "model/file/gguf_file.h"

#include <cmath>
#include <cstring>

#include "model/file/gguf_header.h"
#include "runtime/error.h"
#include "ggml-executor/library.h"
#include "runtime/memory.h"

namespace svc {
namespace {

std::optional<double> scalar(const gguf_context * gguf, int64_t id) {
    switch (gguf_get_kv_type(gguf, id)) {
    case GGUF_TYPE_UINT8: return gguf_get_val_u8(gguf, id);
    case GGUF_TYPE_INT8: return gguf_get_val_i8(gguf, id);
    case GGUF_TYPE_UINT16: return gguf_get_val_u16(gguf, id);
    case GGUF_TYPE_INT16: return gguf_get_val_i16(gguf, id);
    case GGUF_TYPE_UINT32: return gguf_get_val_u32(gguf, id);
    case GGUF_TYPE_INT32: return gguf_get_val_i32(gguf, id);
    case GGUF_TYPE_UINT64: return static_cast<double>(gguf_get_val_u64(gguf, id));
    case GGUF_TYPE_INT64: return static_cast<double>(gguf_get_val_i64(gguf, id));
    case GGUF_TYPE_FLOAT32: return gguf_get_val_f32(gguf, id);
    case GGUF_TYPE_FLOAT64: return gguf_get_val_f64(gguf, id);
    case GGUF_TYPE_BOOL: return gguf_get_val_bool(gguf, id) ? 1 : 0;
    default: return std::nullopt;
    }
}

template <typename Value>
std::vector<double> widen(const void * data, size_t count) {
    std::vector<double> values(count);
    for (size_t i = 0; i < count; i++) {
        Value value;
        std::memcpy(&value, static_cast<const char *>(data) + i * sizeof(Value), sizeof(Value));
        values[i] = static_cast<double>(value);
    }
    return values;
}

} // namespace

GgufFile::GgufFile(const std::string & path) : path_(path), file_(path) {
    check_gguf_header(file_.data(), file_.size(), path);
    ggml_context * tensors = nullptr;
    require_memory(0);
    take_ggml_log();
    gguf_.reset(gguf_init_from_file(path.c_str(), {true, &tensors}));
    tensors_.reset(tensors);
    if (!gguf_ || !tensors_) refuse("invalid GGUF file: ", take_ggml_log());
    const size_t begin = gguf_get_data_offset(gguf_.get());
    const int64_t count = gguf_get_n_tensors(gguf_.get());
    // both are in file order
    const ggml_tensor * tensor = ggml_get_first_tensor(tensors);
    for (int64_t id = 0; id < count && tensor;
         id++, tensor = ggml_get_next_tensor(tensors, const_cast<ggml_tensor *>(tensor))) {
        const size_t offset = gguf_get_tensor_offset(gguf_.get(), id);
        places_.emplace(tensor->name, Place{tensor, offset});
        const size_t end = begin + offset + ggml_nbytes(tensor);
        if (end > file_.size() || end < begin) {
            refuse("the file is truncated: tensor \"", tensor->name, "\" ends at byte ", end, " of ", file_.size());
        }
    }
}

double GgufFile::number(const std::string & key, std::optional<double> fallback) const {
    const int64_t id = gguf_find_key(gguf_.get(), key.c_str());
    if (id < 0) {
        if (fallback) return *fallback;
        refuse("metadata key ", key, " is missing");
    }
    const std::optional<double> value = scalar(gguf_.get(), id);
    if (!value || !std::isfinite(*value))
        refuse(key, " must be a number, got ", gguf_type_name(gguf_get_kv_type(gguf_.get(), id)));
    return *value;
}

int64_t GgufFile::integer(const std::string & key, std::optional<int64_t> fallback) const {
    if (fallback && !has(key)) return *fallback;
    const double value = number(key);
    if (value < 0 || value > 1e9 || value != std::floor(value))
        refuse(key, " must be an integer from 0 to 1000000000, got ", value);
    return static_cast<int64_t>(value);
}

std::string GgufFile::text(const std::string & key, std::optional<std::string> fallback) const {
    const int64_t id = gguf_find_key(gguf_.get(), key.c_str());
    if (id < 0 && fallback) return *fallback;
    if (id < 0) refuse("metadata key ", key, " is missing");
    if (gguf_get_kv_type(gguf_.get(), id) != GGUF_TYPE_STRING)
        refuse(key, " must be a string, got ", gguf_type_name(gguf_get_kv_type(gguf_.get(), id)));
    return gguf_get_val_str(gguf_.get(), id);
}

std::vector<double> GgufFile::numbers(const std::string & key) const {
    const int64_t id = gguf_find_key(gguf_.get(), key.c_str());
    if (id < 0) return {};
    if (gguf_get_kv_type(gguf_.get(), id) == GGUF_TYPE_ARRAY) {
        const size_t count = gguf_get_arr_n(gguf_.get(), id);
        const gguf_type type = gguf_get_arr_type(gguf_.get(), id);
        if (type != GGUF_TYPE_STRING) {
            const void * data = gguf_get_arr_data(gguf_.get(), id);
            switch (type) {
            case GGUF_TYPE_UINT8: return widen<uint8_t>(data, count);
            case GGUF_TYPE_INT8: return widen<int8_t>(data, count);
            case GGUF_TYPE_UINT16: return widen<uint16_t>(data, count);
            case GGUF_TYPE_INT16: return widen<int16_t>(data, count);
            case GGUF_TYPE_UINT32: return widen<uint32_t>(data, count);
            case GGUF_TYPE_INT32: return widen<int32_t>(data, count);
            case GGUF_TYPE_UINT64: return widen<uint64_t>(data, count);
            case GGUF_TYPE_INT64: return widen<int64_t>(data, count);
            case GGUF_TYPE_FLOAT32: return widen<float>(data, count);
            case GGUF_TYPE_FLOAT64: return widen<double>(data, count);
            default: break;
            }
        }
    }
    refuse(key, " must be an array of numbers, got ", gguf_type_name(gguf_get_kv_type(gguf_.get(), id)));
}

const char * GgufFile::data(const ggml_tensor * tensor) const { return data_begin() + places_.at(tensor->name).offset; }

void GgufFile::require_unchanged() const {
    if (file_.changed()) refuse_changed();
}

void GgufFile::refuse_changed() const { refuse("the file changed while it was in use; load the model again"); }

} // namespace svc
