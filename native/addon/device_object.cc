#include "addon/device_object.h"

#include <memory>

#include "addon/task.h"
#include "addon/values.h"
#include "ggml-executor/device_check.h"
#include "ggml-executor/library.h"

namespace svc {
namespace {

const char * device_type(ggml_backend_dev_t device) {
    switch (ggml_backend_dev_type(device)) {
    case GGML_BACKEND_DEVICE_TYPE_GPU: return "gpu";
    case GGML_BACKEND_DEVICE_TYPE_IGPU: return "igpu";
    default: return "accel";
    }
}

ggml_backend_dev_t find_device(const Napi::Value & value) {
    const std::string name = to_text(value, "name");
    const ggml_backend_dev_t device = ggml_backend_dev_by_name(name.c_str());
    if (!device) fail("BACKEND_UNAVAILABLE", "there is no device ", name);
    return device;
}

// Never destroyed: drivers may already be unloaded when the process ends.
std::unique_ptr<DeviceCheck> & current_check() {
    static auto & check = *new std::unique_ptr<DeviceCheck>();
    return check;
}

void set_memory(Napi::Object object, ggml_backend_dev_t device) {
    size_t free = 0, total = 0;
    ggml_backend_dev_memory(device, &free, &total);
    object.Set("freeBytes", static_cast<double>(free));
    object.Set("totalBytes", static_cast<double>(total));
}

Napi::Object describe_device(Napi::Env env, ggml_backend_dev_t device) {
    ggml_backend_dev_props properties = {};
    ggml_backend_dev_get_props(device, &properties);
    Napi::Object object = Napi::Object::New(env);
    object.Set("engine", "ggml");
    object.Set("name", ggml_backend_dev_name(device));
    object.Set("description", ggml_backend_dev_description(device));
    object.Set("type", device_type(device));
    object.Set("id", properties.device_id ? properties.device_id : "");
    set_memory(object, device);
    object.Set("features", from_texts(env, {}));
    return object;
}

} // namespace

Napi::Value load_gpu_devices(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        Napi::Array devices = Napi::Array::New(env);
        for (const ggml_backend_dev_t device : load_devices(to_text(info[0], "library")))
            devices.Set(devices.Length(), describe_device(env, device));
        return devices;
    });
}

Napi::Value open_device_check(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        current_check().reset();
        current_check() = std::make_unique<DeviceCheck>(find_device(info[0]));
        return from_texts(env, current_check()->names());
    });
}

Napi::Value run_device_check(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        if (!current_check()) fail("INVALID_REQUEST", "no check of a device is open");
        const int last = static_cast<int>(current_check()->names().size()) - 1;
        current_check()->run(to_integer(info[0], "index", 0, last));
        return env.Undefined();
    });
}

Napi::Value device_memory(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const ggml_backend_dev_t device = find_device(info[0]);
        Napi::Object object = Napi::Object::New(env);
        set_memory(object, device);
        return object;
    });
}

} // namespace svc
