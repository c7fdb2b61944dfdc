// A loaded model, as exposed by the addon. Not thread-safe: call it from one thread at a time.
#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/executor.h"
#include "model/file/gguf_file.h"
#include "model/session/pending_samples.h"
#include "model/session/prefill.h"
#include "model/session/session.h"
#include "model/session/voice_memory.h"

namespace svc {

// A patch of a session, as an executor computes it.
struct Patch : StepResult {
    // Why the values are not finite, if that is because of its adapter, which is no reason to end the others.
    std::string failure = {};
};

class Model {
public:
    // Reads the description of a model.
    Model(const std::string & path, const Engine & engine, const ExecutorOptions & options);
    ~Model();
    // Loads the weights, which all work needs. Idempotent. Fails with CANCELLED when `stopping` is set.
    void load(const std::atomic<bool> & stopping);

    const Config & config() const { return config_; }
    const GgufFile & file() const { return file_; }
    const MemoryUse & memory_use() const { return voices_.use(); }
    const Executor & executor() const { return *executor_; }
    // For tests; see Executor::probe().
    Arrays probe(const std::string & stage, const Arrays & inputs, const Parameters & parameters);

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
    std::vector<Patch> step(const std::vector<int> & sessions, const std::vector<const float *> & noise, Trace trace);
    // Decodes whole patches, the same number per session, with the sessions' streaming decoders. Where the device computes
    // single patches beside other work, returns before the samples are there.
    std::shared_ptr<PendingSamples> decode(
        const std::vector<int> & sessions, const std::vector<std::vector<float>> & patches
    );

private:
    struct Encoding;
    // An open session; and one that is ready to step.
    Session & session_at(int id);
    Session & filled_session(int id);
    void require_loaded() const;
    // Waits for samples that are still being computed, as all work but steps does before it begins.
    void finish_decoding();
    // Finite weights can still overflow to infinity or NaN.
    void require_finite(const std::vector<float> & values) const;
    void check_values(const Session & session, Patch & patch) const;
    std::unique_ptr<Decoding> decode_patch(
        const std::vector<size_t> & members, const std::vector<int> & sessions,
        const std::vector<std::vector<float>> & patches, size_t first
    );
    // Decodes one patch after the other.
    void decode_all(
        const std::vector<size_t> & members, const std::vector<int> & sessions,
        const std::vector<std::vector<float>> & patches, Samples & samples
    );
    // Positions of all open sessions and encodings, as a measure of their memory.
    int held_positions() const;
    void note_held();
    // Returns freed memory to the system once enough has accumulated: the C library keeps blocks below 32 MB.
    void return_memory();

    GgufFile file_;
    Config config_;
    std::unique_ptr<Executor> executor_;
    bool loaded_ = false;
    VoiceMemory voices_;
    int numbers_ = 0;
    int most_held_ = 0; // peak positions since memory was last returned
    // destroyed before the executor
    std::map<int, std::unique_ptr<Encoding>> encodings_;
    std::map<int, std::shared_ptr<const AdapterWeights>> adapters_;
    std::map<int, std::unique_ptr<Session>> sessions_;
    std::shared_ptr<PendingSamples> decoding_; // null, or the last that may not be ready
};

} // namespace svc
