// A GPU, through the driver alone.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cuda/device.h"

namespace svc::cuda {

struct Card {
    int ordinal = 0;
    std::string name, place; // of the bus, such as 0000:c1:00.0
    int capability = 0;      // 80, 86, 90 …
    size_t total_bytes = 0;
    double bytes_per_second = 0; // of its memory; 0 if unknown
    // Multiplications and additions in bfloat16 of its matrix instructions, as its generation has them; 0 if unknown. Cheaper
    // cards of a generation have half.
    double operations_per_second = 0;
    int cuda_version = 0; // of the driver, such as 13000
};

// All cards of this machine. Fails with BACKEND_UNAVAILABLE if its driver is missing, too old, or can't start.
std::vector<Card> cards();
// Bytes of free memory. Fails with BACKEND_UNAVAILABLE.
size_t free_bytes_of(const Card & card);

// The modules for a card: sm_80 or sm_90, and on Hopper sm_90a with products of warpgroups, without which it works too. Fails
// with BACKEND_UNAVAILABLE if it is older.
std::vector<std::string> modules_for(const Card & card);
// `texts`: PTX of these modules. Fails with BACKEND_UNAVAILABLE where the card or its driver can't run the kernels.
std::unique_ptr<Device> open_card(const Card & card, const std::vector<std::string> & texts);

} // namespace svc::cuda
