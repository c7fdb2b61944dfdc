// The seam between what a model is and what computes it. `Model` (session/model.h) knows prefixes, limits, sessions by number
// and what is kept of voices; an executor knows one device. Adding one: implement Executor and Engine, name the engine in
// addon/engines.cc, and run the golden data on it (`npm run golden -- --kernels NAME`), which probe every stage.
//
// Threads: the thread of the model makes all calls, and may be another than the one that destroys the executor. Nothing is
// called at the same time, except what says so. A call returns when its results are there; inputs may be freed then.
//
// Ownership: what open(), open_encoder(), adapter(), read() and save_decoder() return belongs to the caller, is given back to
// the same executor only, and is destroyed before it. References in jobs are valid during the call.
//
// Errors are svc::Error (runtime/error.h) with these codes; after any but DEVICE_LOST, the executor goes on:
//   OUT_OF_MEMORY        the device or the process has not enough; the message has the sizes. Sessions are as before the call.
//   DEVICE_LOST          the driver failed, or did not answer in time: no memory of the device can be read anymore. Each later
//                        call fails with it at once. The owner closes the model and opens it again.
//   BACKEND_UNAVAILABLE  only from Engine::open: no such device, driver or kernels
//   MODEL_INVALID        only from Engine::open, load(), open_encoder() and adapter(): weights that don't fit or aren't finite
//   CANCELLED            only from load()
// Computed values may be infinite or NaN; the model checks them.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/description/config.h"

namespace svc {

class GgufFile;

// The keys and values of both language models, the previous patch, the kept end of the prefix and the state of the VAE
// decoder of one session.
class SessionMemory {
public:
    virtual ~SessionMemory() = default;
    // Number of positions that it has memory for.
    virtual int capacity() const = 0;
};

// The carried frames of a VAE encoder that encodes one recording.
class EncoderMemory {
public:
    virtual ~EncoderMemory() = default;
};

// A part of a SessionMemory, to be written to others. May stay on the device and share memory with sessions.
class Saved {
public:
    virtual ~Saved() = default;
    // Of the memory that it keeps from being freed.
    virtual size_t bytes() const = 0;
};

// The matrices of a LoRA adapter.
class AdapterWeights {
public:
    virtual ~AdapterWeights() = default;
};

// The update of one matrix as the official trainer writes it: a is rank × inputs, b is outputs × rank, row by row.
struct LoraUpdate {
    std::string target; // official name of the matrix without ".weight"
    int rank;
    std::vector<float> a, b;
};

// The adapter of a session, y = W · x + weight · b · (a · x); none if null.
struct AdapterUse {
    std::shared_ptr<const AdapterWeights> adapter;
    float weight = 1;
    int number = 0; // of the adapter, unique within the model
};

// The positions of a text in a session.
struct TextCells {
    int first = 0, count = 0;
};

// Consecutive positions of a prefix. Those before `rows` go through the language models, which adds their keys and values.
// The inputs of the others, at most most_kept of all chunks, are kept for the first step.
struct Chunk {
    int first;                         // position of the first
    int rows;                          // rows of the whole prefix
    std::span<const int32_t> tokens;   // one per position
    std::span<const uint8_t> audio;    // 1 for positions with a patch instead of their token
    std::span<const float> embeddings; // of these patches in their order, [base_lm.hidden] each; from embed()
    const AdapterUse & adapter;
};
constexpr int most_kept = 80;

// What a step computes of one session.
struct StepResult {
    std::vector<float> patch;                         // [patch_size · feature_dim]
    std::vector<float> stop_logits;                   // continue, stop
    std::vector<float> lm_hidden, residual_hidden;    // [base_lm.hidden] each, if wanted
    // Where the heads of the base LM look in the text, [layer · heads + head]: the index of the cell with the largest weight,
    // shifted towards its larger neighbor; see peak_of(). Empty without a text.
    std::vector<float> attention;
};

// A session in a step. Its columns are the kept positions of its prefix in the first step, later its previous patch.
struct StepJob {
    SessionMemory & memory;
    int rows;                       // rows so far, also the position of the first column
    std::span<const uint8_t> kept;  // 1 for each kept position with a patch, 0 with a token; empty after the first step
    float cfg;                      // guidance
    const float * noise;            // [patch_size · feature_dim]
    TextCells text;
    const AdapterUse & adapter;
    StepResult & result;

    int columns() const { return kept.empty() ? 1 : static_cast<int>(kept.size()); }
};
enum class Trace { off, hidden_states };

// A patch of a session for its streaming decoder.
struct DecodeJob {
    SessionMemory & memory;
    const float * patch; // [patch_size · feature_dim]
};

// Samples that are being computed while the executor goes on.
class Decoding {
public:
    // Waits for the samples, unless wait() has returned or failed.
    virtual ~Decoding() = default;
    // The samples of all jobs, patch_size · decode_hop() each. Called once, on any thread, at the same time as calls of the
    // executor; fails as a call does.
    virtual std::vector<std::vector<float>> wait() = 0;
};

// Named arrays of float32 or int32 values; shapes outermost first.
struct Array {
    std::vector<int64_t> shape = {};
    std::vector<float> floats = {};
    std::vector<int32_t> integers = {};
};
using Arrays = std::map<std::string, Array>;
using Parameters = std::map<std::string, double>;

// Totals since the executor was opened.
struct Work {
    // in stages of steps, where they are separate
    struct Milliseconds {
        double language_models, local_encoder, flow;
    };
    std::optional<Milliseconds> milliseconds;
    uint32_t phases = 0; // in which threads waited for each other
    uint32_t graphs = 0; // built or recorded
};

// Computes one model on one device.
class Executor {
public:
    virtual ~Executor() = default;

    // On any thread, also before load(): the engine, its device, and its CPU kernels (empty for others).
    virtual std::string engine() const = 0;
    virtual std::string device() const = 0;
    virtual std::string kernels() const = 0;
    // The most frequent type of the matrices in the file, such as `q8_0`.
    virtual std::string weight_type() const = 0;
    virtual Work work() const = 0;

    // Places the weights on the device; those of the VAE encoder may wait for open_encoder(). Checks `stopping` several times
    // a second. Called again after it failed. All other calls come after it.
    virtual void load(const std::atomic<bool> & stopping) = 0;

    // Memory of a new session with room for `positions`; steps make more. `patch` is the previous patch, zero if empty.
    virtual std::unique_ptr<SessionMemory> open(int positions, std::span<const float> patch) = 0;
    // LocEnc and its projection: up to 64 patches → [base_lm.hidden] each.
    virtual std::vector<float> embed(std::span<const float> patches, const AdapterUse & adapter) = 0;
    // Chunks of up to 256 positions come in order, without gaps.
    virtual void prefill(SessionMemory & memory, const Chunk & chunk) = 0;
    // Computes a patch of each session and makes it the previous one. Different sessions; any may join or leave at each step,
    // which must not cost more than the step itself: what an executor builds or records depends on numbers, not on sessions.
    virtual void step(std::span<const StepJob> jobs, int timesteps, Trace trace) = 0;
    // Decodes a patch of each session, in the order of the calls. An executor that can compute samples beside other work returns
    // at once: the next call is a step of the same sessions, which reads nothing that a decoder writes. Samples come before the
    // step's results then, and cost it nothing.
    virtual std::unique_ptr<Decoding> decode(std::span<const DecodeJob> jobs) = 0;

    virtual std::unique_ptr<EncoderMemory> open_encoder() = 0;
    // Whole frames of encode_hop() samples, up to 32 → latents [frames · vae.latent].
    virtual std::vector<float> encode(EncoderMemory & memory, std::span<const float> samples) = 0;

    // `count` rows from `first`, within a block of 32 positions, of a filled session; and back into any other.
    virtual std::unique_ptr<Saved> read(const SessionMemory & memory, int first, int count) = 0;
    virtual void write(SessionMemory & memory, int first, int count, const Saved & rows) = 0;
    virtual std::unique_ptr<Saved> save_decoder(const SessionMemory & memory) = 0;
    virtual void load_decoder(SessionMemory & memory, const Saved & state) = 0;

    // Updates that description/adapter.h has found to fit.
    virtual std::unique_ptr<AdapterWeights> adapter(const std::vector<LoraUpdate> & updates, float scale) = 0;

    // For tests: computes a stage with its intermediates; see tests/golden/stages.ts. Only in addons that have native/probe.
    virtual Arrays probe(const std::string & stage, const Arrays & inputs, const Parameters & parameters) = 0;
};

// A device of an engine.
struct Device {
    std::string engine, name, description;
    enum class Type { cpu, gpu, igpu, accelerator } type = Type::cpu;
    size_t free_bytes = 0, total_bytes = 0; // of memory; 0 if unknown
    std::vector<std::string> features = {};
};

struct ExecutorOptions {
    std::string device; // a Device::name
    int threads = 1;
    std::string kernels = {};         // empty for the best
    std::string dit_type = "auto";    // how LocDiT's matrices are stored
};

// A way to compute models: makes executors for its devices.
struct Engine {
    const char * name;
    // Also after devices have come or gone; does not fail.
    std::vector<Device> (*devices)();
    // Checks names and shapes, and reads no weights. `file` and `config` stay longer than the executor.
    std::unique_ptr<Executor> (*open)(const GgufFile & file, const Config & config, const ExecutorOptions & options);
};

} // namespace svc
