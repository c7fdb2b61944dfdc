#include "ggml-executor/stages/fsq.h"

namespace svc {

ggml_tensor * Fsq::build(Graph & graph, ggml_tensor * x, const AdapterRuns * runs) const {
    ggml_context * c = graph.context();
    // torch rounds half to even, ggml_round half away from zero; adding 1.5 · 2^23 leaves no fraction bits in a
    // float32, so the addition rounds half to even
    constexpr float no_fraction = 12582912.0f;
    ggml_tensor * bounded = graph.tap("tanh", ggml_tanh(c, in_proj_.build(graph, x, runs)));
    ggml_tensor * rounded = ggml_scale_bias(c, ggml_scale_bias(c, bounded, scale_, no_fraction), 1.0f, -no_fraction);
    return out_proj_.build(graph, graph.tap("q", ggml_scale(c, rounded, 1.0f / scale_)), runs);
}

} // namespace svc
