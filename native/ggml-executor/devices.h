// Devices of the loaded ggml libraries.
#pragma once
#include <vector>

#include "model/executor.h"

namespace svc {

// Empty before load_ggml().
std::vector<Device> ggml_devices();

} // namespace svc
