// A loaded model, as exposed by the addon. Not thread-safe: call it from one thread at a time.
#pragma once
#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ggml-executor/stages/network.h"
#include "model/session/prefill.h"
#include "model/session/session.h"
#include "model/session/step.h"

namespace svc {

// An array of float32 or int32 values; shape outermost first.
struct Array {
    std::vector<int64_t> shape = {};
    std::vector<float> floats = {};
    std::vector<int32_t> integers = {};
};
using Arrays = std::map<std::string, Array>;

class Model {
public:
    // Reads the description of a model.
    Model(
        const std::string & path, const std::string & device, int threads, const std::string & kernels,
        const std::string & dit_type
    );
    ~Model();
    // Loads the weights, which all work needs. Idempotent. Fails with CANCELLED when `stopping` is set.
    void load(const std::atomic<bool> & stopping);

    const Config & config() const { return config_; }
    const GgufFile & file() const { return file_; }
    std::string weight_type() const { return weight_type_; }
    // Name of the CPU kernels in use; empty on other devices.
    std::string kernels() const { return compute_.kernels() ? compute_.kernels()->name : ""; }
    // Stage times on the CPU kernels; null on other devices, where stages are not separate.
    const StageClock * clock() const { return compute_.kernels() ? &compute_.clock() : nullptr; }
    // Of the team that runs our kernels.
    uint32_t phases() const { return compute_.team().phases(); }
    const MemoryUse & memory_use() const { return voices_.use(); }
    std::string device() const { return ggml_backend_dev_name(compute_.device()); }

    // Work that takes seconds is computed in slices; between them the owner may do other work or close it. Numbers of
    // encodings and sessions are never reused.

    // Starts encoding PCM at the model's input rate, zero-padded on the right to whole frames.
    int open_encoding(std::vector<float> samples);
    // Returns the next latent frames; empty at the end.
    std::vector<float> encode(int encoding);
    // Idempotent.
    void close_encoding(int encoding);
    // Loads an adapter; fails with MODEL_INVALID if it does not fit.
    int open_adapter(const std::vector<LoraUpdate> & updates, float scale);
    // Frees it once the sessions that use it are closed. Idempotent.
    void close_adapter(int adapter);
    // Opens a session; prefill() fills its caches. Steps report the attention to `text`, unless it is empty.
    // `adapter` is a number from open_adapter(), or 0 for none; the session keeps it until it is closed.
    int open(Prefix prefix, float cfg, int timesteps, TextCells text = {}, int adapter = 0, float weight = 1);
    // Computes the next slice of the prefix; returns true when the session is ready to step.
    bool prefill(int id);
    // Frees the session.
    void close(int id);
    // Computes one patch per session; all must have the same timesteps.
    std::vector<StepResult> step(const std::vector<int> & sessions, const std::vector<const float *> & noise);
    // Decodes whole patches, the same number per session, with the sessions' streaming decoders.
    std::vector<std::vector<float>> decode(
        const std::vector<int> & sessions, const std::vector<std::vector<float>> & patches
    );

private:
    friend class Prober; // of the addon that is built for tests
    struct Encoding;
    struct DecodeGraph {
        std::vector<int> sessions;
        Graph graph;
        ggml_tensor *latents = nullptr, *samples = nullptr;
    };
    const VaeEncoder & vae_encoder();
    // An open session; and one that is ready to step.
    Session & session_at(int id);
    Session & filled_session(int id);
    const FlowMatching::Constants & constants(int timesteps);
    StepGraph & step_graph(const std::vector<int> & indices, const std::vector<Session *> & sessions, int timesteps);
    DecodeGraph & decode_graph(const std::vector<int> & sessions);
    void forget_step_graphs(int id);
    void require_loaded() const;
    // Finite weights can still overflow to infinity or NaN.
    void require_finite(const std::vector<float> & values) const;
    // KV positions of all open sessions and encodings, as a measure of their memory.
    int held_positions() const;
    void note_held();
    // Returns freed memory to the system once enough has accumulated: the C library keeps blocks below 32 MB.
    void return_memory();

    GgufFile file_;
    Config config_;
    Compute compute_;
    Weights weights_;
    Weights encoder_weights_; // uploaded on the first encoding, as most utterances have no recording
    bool loaded_ = false, encodes_ = false;
    Network network_;
    VoiceMemory voices_;
    std::string weight_type_;
    int numbers_ = 0;
    int most_held_ = 0; // peak positions since memory was last returned
    std::map<int, std::unique_ptr<Encoding>> encodings_;
    std::map<int, std::shared_ptr<const Adapter>> adapters_;
    std::map<int, std::unique_ptr<Session>> sessions_;
    std::map<int, std::unique_ptr<FlowMatching::Constants>> constants_;
    // most recently used first
    std::list<StepGraph> step_graphs_;
    std::list<DecodeGraph> decode_graphs_;
};

} // namespace svc
