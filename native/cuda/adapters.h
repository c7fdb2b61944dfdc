// The matrices of a LoRA adapter on a device.
#pragma once
#include <vector>

#include "cuda/network.h"
#include "cuda/kernels/adapter.h"
#include "model/executor.h"

namespace svc::cuda {

class CudaAdapter : public AdapterWeights {
public:
    // `updates` fit the model; b is multiplied by `scale`.
    CudaAdapter(Device & device, const Network & network, const std::vector<LoraUpdate> & updates, float scale);
    const AdapterFactors * factors() const { return factors_; } // by product

private:
    Arena arena_;
    AdapterFactors * factors_ = nullptr;
};

} // namespace svc::cuda
