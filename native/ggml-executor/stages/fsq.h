// Finite scalar quantization of hidden states (official modules/layers/scalar_quantization_layer.py).
#pragma once
#include "ggml-executor/stages/transformer.h"

namespace svc {

class Fsq {
public:
    Fsq(const NetworkWeights & weights, const Config & config)
        : scale_(config.fsq_scale), in_proj_{weights.fsq_in}, out_proj_{weights.fsq_out} {}
    // [hidden, n] → [hidden, n]
    ggml_tensor * build(Graph & graph, ggml_tensor * x, const AdapterRuns * runs = nullptr) const;

private:
    float scale_;
    Linear in_proj_, out_proj_;
};

} // namespace svc
