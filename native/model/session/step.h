// One decode step of several sessions as one graph: local encoder, base LM, FSQ, residual LM, stop head, flow matching.
// Positions, cache rows, masks, noise and guidance are inputs; everything else stays on the device. A session's first
// step includes the end of its prefix, so that the weights are read once for both.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ggml-executor/stages/network.h"
#include "model/session/session.h"

namespace svc {

struct StepResult {
    std::vector<float> patch;
    std::vector<float> stop_logits; // continue, stop
    std::vector<float> lm_hidden;
    std::vector<float> residual_hidden;
    std::vector<float> attention =
        {}; // of the base LM to the session's text, per layer and head, see peak_of(); or empty
    std::string failure =
        {}; // if the values are not finite because of its adapter, which is no reason to end the others
};

class StepGraph {
public:
    // Properties that a graph is built for: sessions, their pending positions and cache cells, and the schedule.
    struct Key {
        std::vector<int> sessions;
        std::vector<int> pending = {};
        std::vector<int> kv_lengths = {};
        int timesteps;
        bool operator==(const Key & other) const = default;
    };

    StepGraph(
        const Network & network, const Compute & compute, const FlowMatching::Constants & constants, Key key,
        const std::vector<Session *> & sessions
    );
    const Key & key() const { return key_; }
    // Advances each session by its columns. noise[i] has the size of a patch.
    std::vector<StepResult> run(const std::vector<Session *> & sessions, const std::vector<const float *> & noise);

private:
    ggml_tensor * embed(const std::vector<Session *> & sessions);
    ggml_tensor * patch_of(const Session * session) const;
    std::vector<float> peaks(const TextAttention & text) const;

    const Network & network_;
    Key key_;
    Graph graph_;
    std::vector<ggml_tensor *> rows_, masks_;
    std::vector<TextAttention> texts_; // per session
    ggml_tensor *positions_, *audio_, *cfg_, *noise_, *dit_positions_, *encoder_positions_ = nullptr;
    ggml_tensor *lm_hidden_, *residual_hidden_, *patches_, *stop_logits_;
};

// Number of cache cells that a graph reads when `used` are filled: rounded up, so that graphs are rebuilt once per
// bucket and not on every step.
int kv_bucket(int used);

} // namespace svc
