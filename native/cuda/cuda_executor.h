// Computes a model with our kernels on an NVIDIA GPU, or on the SIMT model for tests.
//
// Memory of sessions: a slot (its previous patch, an embedding), pages of the cache, and the state of the VAE decoder. Batches
// of 1, 2, 4, … streams are recorded once; see batches.h.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/batches.h"
#include "cuda/gguf_tensors.h"
#include "model/executor.h"

namespace svc::cuda {

class CudaExecutor : public Executor {
public:
    CudaExecutor(const GgufFile & file, const Config & config, std::unique_ptr<Device> device);
    ~CudaExecutor() override;

    std::string engine() const override { return "cuda"; }
    std::string device() const override { return device_->name(); }
    std::string kernels() const override { return ""; }
    Work work() const override;
    bool decodes_beside() const override { return true; }

    void load(const std::atomic<bool> & stopping) override;
    std::unique_ptr<SessionMemory> open(int positions, std::span<const float> patch) override;
    std::vector<float> embed(std::span<const float> patches, const AdapterUse & adapter) override;
    // As many as take about the arithmetic of the time in which a step of one session reads the weights.
    int prefill_positions() const override { return 128; }
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
        CudaExecutor & executor, const std::string & stage, const Arrays & inputs, const Parameters & parameters
    );
    static Probe prober;

private:
    friend class CudaProber;
    struct Session;
    struct Encoder;
    struct Schedule;
    struct Decode;
    class PendingSamples;

    const Schedule & schedule(int timesteps);
    StepBatch & step_batch(int streams);
    PrefillBatch & prefill_batch(int columns);
    Decode & decode_batch(int streams);
    void prefill_columns(
        Session & session, int first, const std::vector<PrefillBatch::Column> & columns, const AdapterUse & adapter
    );
    StepBatch::Stream prepare(const StepJob & job);
    void step_together(std::span<const StepJob> jobs, int timesteps, Trace trace);
    void copy_rows(const Session & session, int first, int count, uint16_t * rows, bool into_pages);
    void note_recordings(int count);
    void note_step(const StepBatch & batch, const Cost & cost);
    size_t row_values() const;

    const GgufFile & file_;
    const Config & config_;
    const GgufTensors tensors_;
    std::unique_ptr<Device> device_;
    std::unique_ptr<Queue> queue_, decode_queue_;
    std::unique_ptr<Network> network_;
    std::unique_ptr<Vae> decoder_, encoder_;
    std::unique_ptr<Cache> cache_;
    std::unique_ptr<Arena> arena_;
    SlotState state_ = {};
    std::map<int, std::unique_ptr<Schedule>> schedules_;
    std::map<int, std::unique_ptr<StepBatch>> step_batches_;
    std::map<int, std::unique_ptr<PrefillBatch>> prefill_batches_;
    std::map<int, std::unique_ptr<Decode>> decode_batches_;
    std::map<int, std::unique_ptr<EncoderStage>> embed_stages_;
    std::map<int, std::unique_ptr<VaeStage>> encode_stages_;
    int copies_ = 0; // of rows of sessions
    mutable std::mutex work_mutex_;
    Work work_{.milliseconds = Work::Milliseconds{}, .traffic = Work::Traffic{}};
};

} // namespace svc::cuda
