// An executor in plain loops of double precision, without ggml, kernels or threads: proves that the seam is complete, and
// judges executors on any weights.
#pragma once
#include <memory>

#include "model/executor.h"
#include "probe/reference/reference_network.h"
#include "probe/reference/reference_vae.h"

namespace svc::reference {

struct Memory : SessionMemory {
    int capacity() const override { return static_cast<int>(base.front().keys.size()); }
    Caches base, residual;
    std::vector<float> patch;
    Rows kept;
    VaeState decoder;
};

class ReferenceExecutor : public Executor {
public:
    ReferenceExecutor(const GgufFile & file, const Config & config) : file_(file), config_(config) {}

    std::string engine() const override { return "reference"; }
    std::string device() const override { return "CPU"; }
    std::string kernels() const override { return "reference"; }
    Work work() const override { return {}; }
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

    const Network & network() const { return *network_; }
    const Vae & vae() const { return *vae_; }
    const Config & config() const { return config_; }
    Row embed_patch(const float * patch, const AdapterUse & adapter) const;
    // Columns through both language models; returns the hidden states of the last one in both.
    struct Hidden {
        Row lm, residual;
    };
    Hidden speak(
        Memory & memory, const Rows & x, std::span<const uint8_t> audio, const AdapterUse & adapter,
        Look * look = nullptr
    ) const;

private:
    void step(const StepJob & job, int timesteps, Trace trace) const;

    const GgufFile & file_;
    const Config & config_;
    std::unique_ptr<Network> network_;
    std::unique_ptr<Vae> vae_;
};

} // namespace svc::reference
