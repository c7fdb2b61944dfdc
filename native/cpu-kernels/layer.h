// The weights of a transformer as the kernels read them. Plain data: this header is compiled for several instruction sets.
#pragma once
#include "cpu-kernels/packed.h"
#include "model/description/layer.h"

namespace svc {

using LayerWeights = LayerOf<Packed, const float *>;
struct StackWeights : TransformerConfig {
    const LayerWeights * layer = nullptr; // `layers` of them
    const float * output_norm = nullptr;
};

} // namespace svc
