#include "addon/values.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/error.h"

namespace svc {
namespace {

template <typename Type, typename Value>
std::vector<Value> to_vector(
    const Napi::Value & value, const char * name, const char * expected, napi_typedarray_type type
) {
    if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != type)
        fail("INVALID_REQUEST", name, " must be a ", expected);
    const auto array = value.As<Type>();
    // Data() is unusable when the array is empty or detached
    const Value * data = array.ElementLength() > 0 ? array.Data() : nullptr;
    return data ? std::vector<Value>(data, data + array.ElementLength()) : std::vector<Value>();
}

// Calls visit(key, value) for the properties of an object.
template <typename Visit>
void for_each_property(const Napi::Value & value, const char * name, Visit visit) {
    if (!value.IsObject()) fail("INVALID_REQUEST", name, " must be an object");
    const auto object = value.As<Napi::Object>();
    const Napi::Array keys = object.GetPropertyNames();
    for (uint32_t i = 0; i < keys.Length(); i++) {
        const std::string key = keys.Get(i).ToString().Utf8Value();
        visit(key, object.Get(key));
    }
}

} // namespace

std::vector<float> to_floats(const Napi::Value & value, const char * name) {
    return to_vector<Napi::Float32Array, float>(value, name, "Float32Array", napi_float32_array);
}

std::vector<int32_t> to_integers(const Napi::Value & value, const char * name) {
    return to_vector<Napi::Int32Array, int32_t>(value, name, "Int32Array", napi_int32_array);
}

void require_finite(const float * values, size_t count, const char * name) {
    for (size_t i = 0; i < count; i++) {
        if (!std::isfinite(values[i])) fail("INVALID_REQUEST", name, " must have finite values, got ", values[i]);
    }
}

std::vector<float> to_finite_floats(const Napi::Value & value, const char * name) {
    std::vector<float> values = to_floats(value, name);
    require_finite(values.data(), values.size(), name);
    return values;
}

std::vector<uint8_t> to_bytes(const Napi::Value & value, const char * name) {
    return to_vector<Napi::Uint8Array, uint8_t>(value, name, "Uint8Array", napi_uint8_array);
}

std::string to_text(const Napi::Value & value, const char * name) {
    if (!value.IsString()) fail("INVALID_REQUEST", name, " must be a string");
    std::string text = value.As<Napi::String>().Utf8Value();
    if (text.find('\0') != std::string::npos) fail("INVALID_REQUEST", name, " must not contain NUL characters");
    return text;
}

double to_number(const Napi::Value & value, const char * name) {
    if (!value.IsNumber()) fail("INVALID_REQUEST", name, " must be a number");
    const double number = value.As<Napi::Number>().DoubleValue();
    if (!std::isfinite(number)) fail("INVALID_REQUEST", name, " must be a finite number, got ", number);
    return number;
}

int to_integer(const Napi::Value & value, const char * name, int min, int max) {
    const double number = to_number(value, name);
    if (number != std::trunc(number) || number < min || number > max)
        fail("INVALID_REQUEST", name, " must be an integer from ", min, " to ", max, ", got ", number);
    return static_cast<int>(number);
}

int to_handle(const Napi::Value & value, const char * name) {
    return to_integer(value, name, 0, std::numeric_limits<int>::max());
}

std::vector<std::string> to_texts(const Napi::Value & value, const char * name) {
    if (!value.IsArray()) fail("INVALID_REQUEST", name, " must be an array");
    const auto array = value.As<Napi::Array>();
    std::vector<std::string> texts;
    for (uint32_t i = 0; i < array.Length(); i++) texts.push_back(to_text(array.Get(i), name));
    return texts;
}

Arrays to_arrays(const Napi::Value & value, const char * name) {
    Arrays arrays;
    for_each_property(value, name, [&](const std::string & key, const Napi::Value & entry) {
        if (!entry.IsObject()) fail("INVALID_REQUEST", key, " must be an object with data");
        const Napi::Value data = entry.As<Napi::Object>().Get("data");
        Array & array = arrays[key];
        if (data.IsTypedArray() && data.As<Napi::TypedArray>().TypedArrayType() == napi_int32_array)
            array.integers = to_integers(data, key.c_str());
        else array.floats = to_floats(data, key.c_str());
    });
    return arrays;
}

std::map<std::string, double> to_numbers(const Napi::Value & value, const char * name) {
    std::map<std::string, double> numbers;
    for_each_property(value, name, [&](const std::string & key, const Napi::Value & number) {
        numbers[key] = to_number(number, key.c_str());
    });
    return numbers;
}

Napi::Array from_texts(Napi::Env env, const std::vector<std::string> & texts) {
    Napi::Array array = Napi::Array::New(env, texts.size());
    for (uint32_t i = 0; i < texts.size(); i++) array.Set(i, texts[i]);
    return array;
}

Napi::Float32Array from_floats(Napi::Env env, const std::vector<float> & values) {
    Napi::Float32Array array = Napi::Float32Array::New(env, values.size());
    if (!values.empty()) std::memcpy(array.Data(), values.data(), values.size() * sizeof(float));
    return array;
}

Napi::Value from_arrays(Napi::Env env, const Arrays & arrays) {
    Napi::Object object = Napi::Object::New(env);
    for (const auto & [name, array] : arrays) {
        Napi::Array shape = Napi::Array::New(env, array.shape.size());
        for (size_t i = 0; i < array.shape.size(); i++)
            shape.Set(static_cast<uint32_t>(i), Napi::Number::New(env, static_cast<double>(array.shape[i])));
        Napi::Object entry = Napi::Object::New(env);
        entry.Set("data", from_floats(env, array.floats));
        entry.Set("shape", shape);
        object.Set(name, entry);
    }
    return object;
}

Napi::Value from_metadata(Napi::Env env, const GgufFile & file, const std::string & key) {
    const MetadataValue * value = file.value(key);
    if (!value) return env.Undefined();
    Napi::Array array = Napi::Array::New(env, value->is_array ? value->count : 1);
    uint32_t next = 0;
    if (value->type == ValueType::text) {
        value->each_text([&](std::string_view text) {
            array.Set(next++, Napi::String::New(env, text.data(), text.size()));
        });
    } else {
        for (; next < value->count; next++) {
            const double number = value->number(next);
            if (value->type == ValueType::boolean) array.Set(next, Napi::Boolean::New(env, number != 0));
            else array.Set(next, Napi::Number::New(env, number));
        }
    }
    return value->is_array ? Napi::Value(array) : array.Get(uint32_t{0});
}

} // namespace svc
