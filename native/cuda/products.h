// Which kernel computes a product, and with how many blocks.
#pragma once
#include <string>
#include <vector>

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

// A product by one of the kernels that can compute it.
struct PlannedProduct {
    ProductPlan plan;
    ProductJob job;
};
// One for each kernel that can compute it, to try a device; with `limits.warpgroups`, those of warpgroups alone.
std::vector<PlannedProduct> all_products(Format format, bool gated, const ProductJob & job, const Limits & limits);

} // namespace svc::cuda
