// Columns of one prefix through both language models, as a graph that fills the caches of its session.
#pragma once
#include <vector>

#include "ggml-executor/session_memory.h"
#include "ggml-executor/stages/network.h"

namespace svc {

// Consecutive positions.
struct PrefillColumns {
    int first, count;
    const float * inputs;  // of the base LM, [hidden] each
    const uint8_t * audio; // 1 for patches
};

class PrefillGraph {
public:
    // On our kernels, a graph has room for more columns, and serves any session.
    static int columns_of(const Compute & compute, int count);

    PrefillGraph(
        const Network & network, const Compute & compute, const GgmlSessionMemory & memory,
        const PrefillColumns & columns, const AdapterUse & adapter
    );
    int most_columns() const { return most_columns_; }
    void run(const GgmlSessionMemory & memory, const PrefillColumns & columns, const AdapterUse & adapter);

private:
    void describe(const GgmlSessionMemory & memory, const PrefillColumns & columns, const AdapterUse & adapter);

    const Network & network_;
    const int most_columns_;
    Graph graph_;
    CachedPass base_, residual_;
    ggml_tensor *x_, *positions_, *audio_, *rows_, *mask_;
};

} // namespace svc
