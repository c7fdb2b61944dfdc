// Decides from a hidden state whether the patch generated from it is the last.
#pragma once
#include "ggml-executor/stages/transformer.h"

namespace svc {

class StopHead {
public:
    StopHead(Weights & weights, const Config & config)
        : proj_(Linear::load(weights, "stop.stop_proj", config.base_lm.hidden, config.base_lm.hidden)),
          head_(Linear::load_unbiased(weights, "stop.stop_head", config.base_lm.hidden, 2)) {}
    // [hidden, n] → logits [2, n]: continue, stop
    ggml_tensor * build(Graph & graph, ggml_tensor * x) const {
        return head_.build(graph, ggml_silu(graph.context(), proj_.build(graph, x)));
    }

private:
    Linear proj_, head_;
};

} // namespace svc
