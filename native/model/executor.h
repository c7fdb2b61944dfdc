// The seam between what a model is and what computes it. `Model` (session/model.h) knows prefixes, limits, sessions by number
// and what is kept of voices; an executor knows one device. To add one, implement Executor and Engine, name the engine in
// addon/engines.cc, and compare it with the golden data and with probe/reference, which implements all of this in plain loops.
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
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/description/adapter.h"
#include "model/description/config.h"
#include "model/jobs.h"

namespace svc {

class GgufFile;

// Totals since the executor was opened.
struct Work {
    // in stages of steps, where they are separate
    struct Milliseconds {
        double language_models, local_encoder, flow;
    };
    std::optional<Milliseconds> milliseconds;
    uint32_t phases = 0; // in which threads waited for each other
    uint32_t graphs = 0; // built or recorded
    // what steps take at least, where it is known
    struct Traffic {
        double launches = 0;
        double weight_bytes = 0; // of matrices, for each time that they are read
        double bytes = 0;        // read and written: weights, activations, keys and values
        double operations =
            0; // multiplications and additions; those of bytes count half where devices do twice as many
    };
    std::optional<Traffic> traffic = std::nullopt;
    double compile_milliseconds = 0; // in which kernels were made ready
};

// Computes one model on one device.
class Executor {
public:
    virtual ~Executor() = default;

    // On any thread, also before load(): the engine, its device, and its CPU kernels (empty for others).
    virtual std::string engine() const = 0;
    virtual std::string device() const = 0;
    virtual std::string kernels() const = 0;
    virtual Work work() const = 0;
    // Whether decode() returns before the samples are there.
    virtual bool decodes_beside() const { return false; }

    // Places the weights on the device; those of the VAE encoder may wait for open_encoder(). Checks `stopping` several times
    // a second. Called again after it failed. All other calls come after it.
    virtual void load(const std::atomic<bool> & stopping) = 0;

    // Memory of a new session with room for `positions`; steps make more. `patch` is the previous patch, zero if empty.
    virtual std::unique_ptr<SessionMemory> open(int positions, std::span<const float> patch) = 0;
    // LocEnc and its projection: up to 64 patches → [base_lm.hidden] each.
    virtual std::vector<float> embed(std::span<const float> patches, const AdapterUse & adapter) = 0;
    // Chunks of up to prefill_positions() come in order, without gaps: enough to read the weights rarely, few enough to bound
    // memory, cancel quickly and let other sessions step in between.
    virtual int prefill_positions() const { return 256; }
    virtual void prefill(SessionMemory & memory, const Chunk & chunk) = 0;
    // Computes a patch of each session and makes it the previous one. Different sessions; any may join or leave at each step,
    // which must not cost more than the step itself: what an executor builds or records depends on numbers, not on sessions.
    virtual void step(std::span<const StepJob> jobs, int timesteps, Trace trace) = 0;
    // Decodes a patch of each session, in the order of the calls. An executor that decodes beside steps returns at once: only
    // steps, which read nothing that a decoder writes, are called before another thread's wait() has returned. Samples come
    // before the step's results then, and cost it nothing.
    virtual std::unique_ptr<Decoding> decode(std::span<const DecodeJob> jobs) = 0;

    virtual std::unique_ptr<EncoderMemory> open_encoder() = 0;
    // Whole frames of encode_hop() samples, up to 32 → latents [frames · vae.latent].
    virtual std::vector<float> encode(EncoderMemory & memory, std::span<const float> samples) = 0;

    // `count` rows from `first`, within a block of 32 positions, of a filled session; and back into any other.
    virtual std::unique_ptr<Saved> read(const SessionMemory & memory, int first, int count) = 0;
    virtual void write(SessionMemory & memory, int first, int count, const Saved & rows) = 0;
    virtual std::unique_ptr<Saved> save_decoder(const SessionMemory & memory) = 0;
    virtual void load_decoder(SessionMemory & memory, const Saved & state) = 0;

    // Updates that have passed check_adapter().
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
    std::string kernels = {};      // empty for the best
    std::string dit_type = "auto"; // how LocDiT's matrices are stored
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
