// A trial of a compute device before models use it.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ggml-executor/ggml.h"

namespace svc {

// Each kind of operation that models need, with every type of weights, once. A faulty driver may end the process in any
// of these functions, or never return.
class DeviceCheck {
public:
    // Opens the device. Fails with BACKEND_UNAVAILABLE or OUT_OF_MEMORY.
    explicit DeviceCheck(ggml_backend_dev_t device);
    ~DeviceCheck();
    // The operations, for messages.
    std::vector<std::string> names() const;
    // Computes an operation and compares the result with the CPU's; one that the device doesn't support is left out, as
    // models compute it on the CPU. Fails with BACKEND_UNAVAILABLE or OUT_OF_MEMORY.
    void run(size_t index);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace svc
