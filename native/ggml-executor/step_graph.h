// One decode step of several sessions as one graph: local encoder, base LM, FSQ, residual LM, stop head, flow matching.
// A session's first step includes the end of its prefix, so that the weights are read once for both.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ggml-executor/session_memory.h"
#include "ggml-executor/stages/network.h"

namespace svc {

// Sessions whose columns are patches come first.
using StepBatch = std::vector<const StepJob *>;

class StepGraph {
public:
    // What a graph is built for. On our kernels that is room for columns: who has them is read when it runs, so sessions that
    // join and leave find the graphs of others.
    struct Key {
        int sessions, patches; // sessions, and those whose column is their previous patch
        int columns;           // at most
        int timesteps;
        // for ggml's operations:
        std::vector<int> kept = {}, kv_lengths = {}, texts = {};
        std::vector<AdapterRuns::Run> adapters = {};
        std::vector<uint64_t> memories = {}; // unless graphs can be bound to others
        bool operator==(const Key & other) const = default;
    };
    static StepBatch sorted(std::span<const StepJob> jobs);
    static Key key_of(const Compute & compute, const StepBatch & batch, int timesteps);

    StepGraph(
        const Network & network, const Compute & compute, const FlowMatching::Constants & constants, Key key,
        const StepBatch & batch
    );
    const Key & key() const { return key_; }
    // Fills the results.
    void run(const StepBatch & batch, Trace trace);

private:
    void build(const FlowMatching::Constants & constants);
    // Input of the base LM: [hidden, columns].
    ggml_tensor * embed(ggml_tensor * previous);
    // Describes the columns of a batch.
    void describe(const StepBatch & batch);
    // Makes what ggml's attention needs of each session.
    void add_caches(const StepBatch & batch);
    void bind_caches(const StepBatch & batch);
    void set_inputs(const StepBatch & batch);
    std::vector<float> peaks(const TextAttention & text) const;

    const Network & network_;
    const Compute & compute_;
    Key key_;
    Graph graph_;
    AdapterRuns sessions_, patches_runs_; // of a column each
    CachedPass base_, residual_;
    std::vector<int> last_;            // last column of each session
    std::vector<TextAttention> texts_; // per session
    // for ggml's operations, per session
    std::vector<ggml_tensor *> rows_, masks_;
    std::vector<std::vector<KvLayer>> slots_; // of both stacks
    ggml_tensor *positions_, *audio_, *cfg_, *noise_, *previous_, *dit_positions_;
    ggml_tensor *encoder_positions_ = nullptr, *kept_ = nullptr, *last_columns_ = nullptr;
    ggml_tensor *lm_hidden_, *residual_hidden_, *patches_, *stop_logits_;
};

} // namespace svc
