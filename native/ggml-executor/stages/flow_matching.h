// Flow matching: Euler steps from noise to a latent patch with classifier-free guidance of optimized scale, CFG-Zero*
// (official modules/locdit/unified_cfm.py).
#pragma once
#include <memory>
#include <vector>

#include "ggml-executor/stages/local_dit.h"
#include "model/description/flow_schedule.h"

namespace svc {

class FlowMatching {
public:
    FlowMatching(const LocalDit & dit, const Config & config) : dit_(dit), config_(config) {}

    // Constants of a schedule on the device: the sum of both time embeddings for each call, [hidden, calls].
    struct Constants {
        FlowSchedule schedule;
        std::vector<FlowSchedule::Call> calls;
        Storage storage{2};
        ggml_tensor * times = nullptr;
    };
    std::unique_ptr<Constants> prepare(const Compute & compute, const FlowSchedule & schedule) const;

    // noise and cond [feature_dim, patch_size, n], mu [hidden, mu_tokens, n], cfg [1, n], positions int32
    // [dit.length()] → [feature_dim, patch_size, n]; `runs` of the n patches
    ggml_tensor * build(
        Graph & graph, const Constants & constants, ggml_tensor * noise, ggml_tensor * mu, ggml_tensor * cond,
        ggml_tensor * cfg, ggml_tensor * positions, const AdapterRuns * runs = nullptr
    ) const;
    std::vector<int32_t> positions() const;

private:
    const LocalDit & dit_;
    const Config & config_;
};

} // namespace svc
