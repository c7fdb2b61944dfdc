// Tries every kernel of products on a device, and compares with plain loops.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cuda/device.h"

namespace svc::cuda {

class ProductCheck {
public:
    explicit ProductCheck(std::unique_ptr<Device> device);

    // One for each format of weights and columns.
    std::vector<std::string> names() const;
    // Fails with BACKEND_UNAVAILABLE if a result is wrong, and with the errors of the device.
    void run(int index);

private:
    std::unique_ptr<Device> device_;
    std::unique_ptr<Queue> queue_;
};

} // namespace svc::cuda
