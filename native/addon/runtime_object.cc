#include "addon/runtime_object.h"

#include <cstdlib>
#include <limits>
#include <string>

#include "addon/engines.h"
#include "addon/ggml_types.h"
#include "addon/task.h"
#include "addon/values.h"
#include "cpu-kernels/integer_peak.h"
#include "cpu-kernels/processor.h"
#include "runtime/cores.h"
#include "ggml-executor/library.h"
#include "runtime/memory.h"

namespace svc {
namespace {

const char * device_type(Device::Type type) {
    switch (type) {
    case Device::Type::cpu: return "cpu";
    case Device::Type::gpu: return "gpu";
    case Device::Type::igpu: return "igpu";
    default: return "accel";
    }
}

Napi::Object from_device(Napi::Env env, const Device & device) {
    Napi::Object object = Napi::Object::New(env);
    object.Set("engine", device.engine);
    object.Set("name", device.name);
    object.Set("description", device.description);
    object.Set("type", device_type(device.type));
    object.Set("freeBytes", static_cast<double>(device.free_bytes));
    object.Set("totalBytes", static_cast<double>(device.total_bytes));
    Napi::Array features = Napi::Array::New(env);
    for (const std::string & feature : device.features) features.Set(features.Length(), feature);
    object.Set("features", features);
    return object;
}

} // namespace

Napi::Value load_runtime(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const std::string & why_own = load_ggml(to_texts(info[0], "directories"));
        Napi::Object runtime = Napi::Object::New(env);
        if (!why_own.empty()) runtime.Set("whyOwnGgml", why_own);
        runtime.Set("ggmlVersion", ggml_version());
        Napi::Array backends = Napi::Array::New(env);
        for (size_t i = 0; i < ggml_backend_reg_count(); i++)
            backends.Set(backends.Length(), Napi::String::New(env, ggml_backend_reg_name(ggml_backend_reg_get(i))));
        runtime.Set("backends", backends);
        Napi::Array devices = Napi::Array::New(env);
        for (const Engine * engine : engines()) {
            for (const Device & device : engine->devices()) devices.Set(devices.Length(), from_device(env, device));
        }
        runtime.Set("devices", devices);
        return runtime;
    });
}

Napi::Value explain_library_file(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        return Napi::String::New(env, explain_library(to_text(info[0], "path")));
    });
}

Napi::Value set_environment(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const std::string name = to_text(info[0], "name");
        const std::string value = to_text(info[1], "value");
#ifdef _WIN32
        _putenv_s(name.c_str(), value.c_str());
#else
        setenv(name.c_str(), value.c_str(), 1);
#endif
        return env.Undefined();
    });
}

Napi::Value return_memory(const Napi::CallbackInfo & info) {
    return_freed_memory();
    return info.Env().Undefined();
}

Napi::Value list_cores(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    Napi::Array array = Napi::Array::New(env);
    for (const Core & core : physical_cores()) {
        Napi::Object object = Napi::Object::New(env);
        object.Set("efficient", core.efficient);
        object.Set("allowed", core.allowed);
        array.Set(array.Length(), object);
    }
    return array;
}

Napi::Value quantize(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const ggml_type type = find_type(to_text(info[0], "type"));
        const Napi::Value input = info[1];
        if (!input.IsTypedArray() || input.As<Napi::TypedArray>().TypedArrayType() != napi_float32_array)
            fail("INVALID_REQUEST", "values must be a Float32Array");
        const auto values = input.As<Napi::Float32Array>();
        require_finite(values.Data(), values.ElementLength(), "values");
        const int64_t row = to_integer(info[2], "row length", 1, std::numeric_limits<int>::max());
        const int64_t count = static_cast<int64_t>(values.ElementLength());
        const int64_t block = ggml_blck_size(type);
        if (count % row != 0 || block < 1 || row % block != 0) {
            fail(
                "INVALID_REQUEST", "rows of type ", ggml_type_name(type), " must have a multiple of ", block,
                " values, got ", count, " values in rows of ", row
            );
        }
        if (!can_quantize(type)) fail("INVALID_REQUEST", "cannot quantize to type ", ggml_type_name(type));
        Napi::Uint8Array result = Napi::Uint8Array::New(env, ggml_row_size(type, row) * (count / row));
        ggml_quantize_chunk(type, values.Data(), result.Data(), 0, count / row, row, nullptr);
        return result;
    });
}

Napi::Value slow_down(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const int threads = to_integer(info[0], "threads", 2, max_threads),
                  factor = to_integer(info[1], "factor", 1, 100);
        // held by the models that use it
        Team::shared(threads)->slow_down(threads - 1, factor);
        return env.Undefined();
    });
}

Napi::Value integer_peak_of(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const std::string name = to_text(info[0], "kernels");
        const KernelSet * kernels = find_kernels(name.empty() ? nullptr : name.c_str());
        const double peak = kernels ? integer_peak(kernels->name, to_integer(info[1], "threads", 1, max_threads)) : 0;
        return peak > 0 ? Napi::Value(Napi::Number::New(env, peak)) : env.Undefined();
    });
}

Napi::Value processor_kernels(const Napi::CallbackInfo & info) {
    return Napi::String::New(info.Env(), best_kernels(granted_features()));
}

Napi::Value type_traits(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const ggml_type type = find_type(to_text(info[0], "type"));
        Napi::Object traits = Napi::Object::New(env);
        traits.Set("id", static_cast<int>(type));
        traits.Set("blockBytes", static_cast<double>(ggml_type_size(type)));
        traits.Set("blockElements", static_cast<double>(ggml_blck_size(type)));
        return traits;
    });
}

} // namespace svc
