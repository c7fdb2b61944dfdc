// Addon functions for GPUs, whose libraries only child processes load.
#pragma once
#include <napi.h>

namespace svc {

// loadDevices(library): NativeDevice[]
Napi::Value load_gpu_devices(const Napi::CallbackInfo & info);
// openCheck(name): string[]
Napi::Value open_device_check(const Napi::CallbackInfo & info);
// runCheck(index)
Napi::Value run_device_check(const Napi::CallbackInfo & info);
// deviceMemory(name): { freeBytes, totalBytes }
Napi::Value device_memory(const Napi::CallbackInfo & info);

} // namespace svc
