// Single products by the CPU kernels, for verification and measurement.
#pragma once
#include <napi.h>

namespace svc {

// multiply(kernels, type, weights, depth, columns, threads): Float32Array | undefined
Napi::Value multiply(const Napi::CallbackInfo & info);
// productTimes(kernels, type, columns, rounds): { vectors, tiles } | undefined
Napi::Value product_times(const Napi::CallbackInfo & info);
// setTileLimits(bytes, nibbles)
Napi::Value set_tile_limits(const Napi::CallbackInfo & info);

} // namespace svc
