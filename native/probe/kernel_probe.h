#pragma once
#include <napi.h>

namespace svc {

// Adds the kernels that only tests use, and `bestKernels`.
void define_kernel_probe(Napi::Env env, Napi::Object exports);

} // namespace svc
