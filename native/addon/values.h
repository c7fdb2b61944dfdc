// JavaScript values to native ones and back.
#pragma once
#include <napi.h>

#include "model/model.h"

namespace svc {

std::vector<float> to_floats(const Napi::Value & value, const char * name);
std::vector<int32_t> to_integers(const Napi::Value & value, const char * name);
std::string to_text(const Napi::Value & value, const char * name);
double to_number(const Napi::Value & value, const char * name);
std::vector<std::string> to_texts(const Napi::Value & value, const char * name);
Arrays to_arrays(const Napi::Value & value);

Napi::Float32Array from_floats(Napi::Env env, const std::vector<float> & values);
Napi::Value from_arrays(Napi::Env env, const Arrays & arrays);
// A metadata value of a GGUF file, undefined when the key is missing.
Napi::Value from_metadata(Napi::Env env, const gguf_context * gguf, const std::string & key);

} // namespace svc
