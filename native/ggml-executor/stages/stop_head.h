// Decides from a hidden state whether the patch generated from it is the last.
#pragma once
#include "ggml-executor/stages/transformer.h"

namespace svc {

class StopHead {
public:
    explicit StopHead(const NetworkWeights & weights) : proj_{weights.stop_proj}, head_{{weights.stop_head, nullptr}} {}
    // [hidden, n] → logits [2, n]: continue, stop
    ggml_tensor * build(Graph & graph, ggml_tensor * x) const {
        return head_.build(graph, ggml_silu(graph.context(), proj_.build(graph, x)));
    }

private:
    Linear proj_, head_;
};

} // namespace svc
