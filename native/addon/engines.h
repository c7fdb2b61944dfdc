// The engines of this addon.
#pragma once
#include <string>
#include <vector>

#include "model/executor.h"

namespace svc {

// In the order in which they are asked for a device.
const std::vector<const Engine *> & engines();
// Adds an engine behind the others; only while the addon is loaded.
void add_engine(const Engine & engine);
// The engine with the name `kernels`, or the first that lists the device. Fails with BACKEND_UNAVAILABLE without one.
const Engine & find_engine(const std::string & device, const std::string & kernels);

} // namespace svc
