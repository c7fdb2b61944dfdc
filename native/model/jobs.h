// What an executor is asked to compute, and what it keeps for its caller; see executor.h.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace svc {

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
    std::vector<float> patch;                      // [patch_size · feature_dim]
    std::vector<float> stop_logits;                // continue, stop
    std::vector<float> lm_hidden, residual_hidden; // [base_lm.hidden] each, if wanted
    // Where the heads of the base LM look in the text, [layer · heads + head]: the index of the cell with the largest weight,
    // shifted towards its larger neighbor; see peak_of(). Empty without a text.
    std::vector<float> attention;
};

// A session in a step. Its columns are the kept positions of its prefix in the first step, later its previous patch.
struct StepJob {
    SessionMemory & memory;
    int rows;                      // rows so far, also the position of the first column
    std::span<const uint8_t> kept; // 1 for each kept position with a patch, 0 with a token; empty after the first step
    float cfg;                     // guidance
    const float * noise;           // [patch_size · feature_dim]
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

} // namespace svc
