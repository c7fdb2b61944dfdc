// Flow matching on our CPU kernels: all Euler steps as one custom operation of a graph.
#pragma once
#include "ggml-executor/stages/flow_matching.h"

namespace svc {

// See FlowMatching::build.
ggml_tensor * cpu_flow(
    Graph & graph, const LocalDit & dit, const Config & config, const FlowMatching::Constants & constants,
    ggml_tensor * noise, ggml_tensor * mu, ggml_tensor * cond, ggml_tensor * cfg, const AdapterRuns * runs
);

} // namespace svc
