// Addon functions that do not need a model.
#pragma once
#include <napi.h>

namespace svc {

// load(directories): NativeRuntime
Napi::Value load_runtime(const Napi::CallbackInfo & info);
// explainLibrary(path): string
Napi::Value explain_library_file(const Napi::CallbackInfo & info);
// setEnvironment(name, value)
Napi::Value set_environment(const Napi::CallbackInfo & info);
// returnFreedMemory()
Napi::Value return_memory(const Napi::CallbackInfo & info);
// cores(): { efficient, allowed }[]
Napi::Value list_cores(const Napi::CallbackInfo & info);
// quantize(type, values, rowLength): Uint8Array
Napi::Value quantize(const Napi::CallbackInfo & info);
// slowDown(threads, factor)
Napi::Value slow_down(const Napi::CallbackInfo & info);
// integerPeak(kernels, threads): number
Napi::Value integer_peak_of(const Napi::CallbackInfo & info);
// processorKernels(): string
Napi::Value processor_kernels(const Napi::CallbackInfo & info);
// typeTraits(type): { id, blockBytes, blockElements }
Napi::Value type_traits(const Napi::CallbackInfo & info);

} // namespace svc
