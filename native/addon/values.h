// Conversion between JavaScript and native values.
#pragma once
#include <napi.h>

#include <map>
#include <string>
#include <vector>

#include "model/session/model.h"

namespace svc {

// Maximum number of threads of one model.
constexpr int max_threads = 512;

// These functions copy. A value of the wrong type or range fails with INVALID_REQUEST and `name` in the message.
std::vector<float> to_floats(const Napi::Value & value, const char * name);
// Fails with INVALID_REQUEST for NaN and infinity.
void require_finite(const float * values, size_t count, const char * name);
// Rejects NaN and infinity.
std::vector<float> to_finite_floats(const Napi::Value & value, const char * name);
std::vector<int32_t> to_integers(const Napi::Value & value, const char * name);
std::vector<uint8_t> to_bytes(const Napi::Value & value, const char * name);
// Rejects NUL characters, which would truncate a C string.
std::string to_text(const Napi::Value & value, const char * name);
// Rejects NaN and infinity.
double to_number(const Napi::Value & value, const char * name);
int to_integer(const Napi::Value & value, const char * name, int min, int max);
// The number of a session or an encoding.
int to_handle(const Napi::Value & value, const char * name);
std::vector<std::string> to_texts(const Napi::Value & value, const char * name);
Arrays to_arrays(const Napi::Value & value, const char * name);
std::map<std::string, double> to_numbers(const Napi::Value & value, const char * name);

Napi::Float32Array from_floats(Napi::Env env, const std::vector<float> & values);
Napi::Array from_texts(Napi::Env env, const std::vector<std::string> & texts);
Napi::Value from_arrays(Napi::Env env, const Arrays & arrays);
// A metadata value of a GGUF file; undefined when the key is missing.
Napi::Value from_metadata(Napi::Env env, const GgufFile & file, const std::string & key);

} // namespace svc
