// Computes a model with ggml: on a CPU with our kernels or ggml's, on GPUs with ggml's.
#pragma once
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ggml-executor/prefill_graph.h"
#include "ggml-executor/step_graph.h"
#include "model/executor.h"

namespace svc {

class GgmlExecutor : public Executor {
public:
    GgmlExecutor(const GgufFile & file, const Config & config, const ExecutorOptions & options);
    ~GgmlExecutor() override;

    std::string engine() const override { return "ggml"; }
    std::string device() const override;
    std::string kernels() const override { return compute_.kernels() ? compute_.kernels()->name : ""; }
    Work work() const override;

    void load(const std::atomic<bool> & stopping) override;
    std::unique_ptr<SessionMemory> open(int positions, std::span<const float> patch) override;
    std::vector<float> embed(std::span<const float> patches, const AdapterUse & adapter) override;
    void prefill(SessionMemory & memory, const Chunk & chunk) override;
    void step(std::span<const StepJob> jobs, int timesteps, Trace trace) override;
    std::unique_ptr<Decoding> decode(std::span<const DecodeJob> jobs) override;
    std::unique_ptr<EncoderMemory> open_encoder() override;
    std::vector<float> encode(EncoderMemory & memory, std::span<const float> samples) override;
    std::unique_ptr<Saved> read(const SessionMemory & memory, int first, int count) override;
    void write(SessionMemory & memory, int first, int count, const Saved & rows) override;
    std::unique_ptr<Saved> save_decoder(const SessionMemory & memory) override;
    void load_decoder(SessionMemory & memory, const Saved & state) override;
    std::unique_ptr<AdapterWeights> adapter(const std::vector<LoraUpdate> & updates, float scale) override;
    Arrays probe(const std::string & stage, const Arrays & inputs, const Parameters & parameters) override;

    // Computes probes; set in addons that have native/probe.
    using Probe = Arrays (*)(
        GgmlExecutor & executor, const std::string & stage, const Arrays & inputs, const Parameters & parameters
    );
    static Probe prober;

private:
    friend class Prober;
    struct DecodeGraph;
    const VaeEncoder & vae_encoder();
    const FlowMatching::Constants & constants(int timesteps);
    StepGraph & step_graph(const StepBatch & batch, int timesteps);
    DecodeGraph & decode_graph(std::span<const DecodeJob> jobs);
    void prefill_columns(GgmlSessionMemory & memory, const PrefillColumns & columns, const AdapterUse & adapter);

    const GgufFile & file_;
    const Config & config_;
    Compute compute_;
    Weights weights_;
    Weights encoder_weights_; // uploaded for the first encoder, as most utterances have no recording
    bool encodes_ = false;
    Network network_;
    std::map<int, std::unique_ptr<FlowMatching::Constants>> constants_;
    // most recently used first
    std::list<StepGraph> step_graphs_;
    std::list<DecodeGraph> decode_graphs_;
    std::unique_ptr<PrefillGraph> prefill_graph_;
};

// ggml's devices, once its libraries are loaded.
extern const Engine ggml_engine;

} // namespace svc
