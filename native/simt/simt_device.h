#pragma once
#include "cuda/device.h"

namespace svc::cuda {

// Kernels on the SIMT model: for tests.
std::unique_ptr<Device> make_simt_device(const Limits & limits = {});

} // namespace svc::cuda
