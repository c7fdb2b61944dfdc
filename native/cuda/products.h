// Which kernel computes a product, and with how many blocks.
#pragma once
#include <string>

#include "cuda/device.h"
#include "cuda/packing.h"
#include "cuda/kernels/stream_product.h"

namespace svc::cuda {

struct ProductPlan {
    std::string kernel;
    Grid grid;
    int threads;
    size_t shared_bytes;
};

// Sets job.slots. `format`: of the weights and columns.
ProductPlan plan_product(Format format, bool gated, ProductJob & job, const Limits & limits);

} // namespace svc::cuda
