// Entry point of the addon; src/engine/backends/native/addon.ts declares its interface.
#include <napi.h>

#include "addon/device_object.h"
#include "addon/extension.h"
#include "addon/model_object.h"
#include "addon/products.h"
#include "addon/runtime_object.h"
#include "addon/task.h"
#include "ggml-executor/library.h"
#include "runtime/threads.h"

static Napi::Object initialise(Napi::Env env, Napi::Object exports) {
    svc::stay_loaded();
    svc::enlarge_stacks();
    svc::Worker::halt_on_exit(env);
    svc::ModelObject::define(env);
    exports.Set("load", Napi::Function::New(env, svc::load_runtime, "load"));
    exports.Set("openModel", Napi::Function::New(env, svc::ModelObject::open_model, "openModel"));
    exports.Set("explainLibrary", Napi::Function::New(env, svc::explain_library_file, "explainLibrary"));
    exports.Set("loadDevices", Napi::Function::New(env, svc::load_gpu_devices, "loadDevices"));
    exports.Set("openCheck", Napi::Function::New(env, svc::open_device_check, "openCheck"));
    exports.Set("runCheck", Napi::Function::New(env, svc::run_device_check, "runCheck"));
    exports.Set("deviceMemory", Napi::Function::New(env, svc::device_memory, "deviceMemory"));
    exports.Set("setEnvironment", Napi::Function::New(env, svc::set_environment, "setEnvironment"));
    exports.Set("returnFreedMemory", Napi::Function::New(env, svc::return_memory, "returnFreedMemory"));
    exports.Set("cores", Napi::Function::New(env, svc::list_cores, "cores"));
    exports.Set("quantize", Napi::Function::New(env, svc::quantize, "quantize"));
    exports.Set("multiply", Napi::Function::New(env, svc::multiply, "multiply"));
    exports.Set("productTimes", Napi::Function::New(env, svc::product_times, "productTimes"));
    exports.Set("setTileLimits", Napi::Function::New(env, svc::set_tile_limits, "setTileLimits"));
    exports.Set("slowDown", Napi::Function::New(env, svc::slow_down, "slowDown"));
    exports.Set("integerPeak", Napi::Function::New(env, svc::integer_peak_of, "integerPeak"));
    exports.Set("processorKernels", Napi::Function::New(env, svc::processor_kernels, "processorKernels"));
    exports.Set("typeTraits", Napi::Function::New(env, svc::type_traits, "typeTraits"));
    svc::Extension::define_all(env, exports);
    return exports;
}

NODE_API_MODULE(svc, initialise)
