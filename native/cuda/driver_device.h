// A GPU, through the driver alone.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuda/device.h"

namespace svc::cuda {

struct Card {
    int ordinal = 0;
    std::string name;
    int capability = 0; // 80, 86, 90 …
    size_t total_bytes = 0;
};

// All cards of this machine; none without a driver.
std::vector<Card> cards();
// The version of CUDA that the driver supports, such as 12040; 0 without a driver.
int driver_version();

// PTX of the kernels for cards of at least this capability, of which 80 and 90 exist.
using ModuleText = std::function<std::string(int capability)>;

// Fails with BACKEND_UNAVAILABLE where the card or its driver can't run the kernels.
std::unique_ptr<Device> open_card(const Card & card, const ModuleText & text);

} // namespace svc::cuda
