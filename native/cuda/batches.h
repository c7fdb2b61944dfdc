// Recorded work for a number of streams or columns. Which sessions they are, and how long, are inputs: who joins or leaves
// changes data, never a recording.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda/cache.h"
#include "cuda/stages.h"
#include "cuda/staging.h"
#include "cuda/vae.h"

namespace svc::cuda {

// Of a session, for a batch.
struct BatchAdapter {
    const AdapterFactors * factors = nullptr; // by product; null: none
    float weight = 1;
};

// State of all slots.
struct SlotState {
    float * patches;    // [slot][patch values]: the previous patch
    float * embeddings; // [slot][padded hidden]: of a position that is no patch of a step
};

// Positions of one session through the language models.
class PrefillBatch {
public:
    PrefillBatch(Device & device, Queue & queue, const Network & network, const Cache & cache, int columns);
    struct Column {
        const float * embedding; // [hidden]
        bool audio;
    };
    void run(int slot, int first, const std::vector<Column> & columns, const BatchAdapter & adapter);
    int recordings() const { return static_cast<int>(recordings_.size()); }

private:
    Queue & queue_;
    const Network & network_;
    const Cache & cache_;
    const int columns_;
    Arena arena_;
    Staging staging_;
    Staged<float> embeddings_, weights_;
    Staged<int> slots_, positions_, audio_;
    Staged<const AdapterFactors *> adapters_;
    LmStage stage_;
    std::map<bool, std::unique_ptr<Recording>> recordings_; // with adapters or without
};

// A patch of each of several sessions.
class StepBatch {
public:
    StepBatch(
        Device & device, Queue & queue, const Network & network, const Cache & cache, const SlotState & state,
        int streams
    );
    struct Stream {
        int slot, position;
        bool given; // its column is the slot's embedding, not its previous patch
        bool audio; // whether that is a patch's
        float cfg;
        const float * noise;
        int text_first, text_count;
        BatchAdapter adapter;
    };
    // Records what this variant needs, if it is the first. Returns what it takes.
    Cost run(
        const std::vector<Stream> & streams, int timesteps, const std::vector<FlowSchedule::Call> & calls,
        const float * times
    );
    // Of the last run: milliseconds of the encoder, the language models and the flow; and results.
    double milliseconds(int stage) const { return clock_->between(stage, stage + 1); }
    const float * patch(int stream) const {
        return patches_ + static_cast<size_t>(stream) * network_.config.patch_values();
    }
    const float * logits(int stream) const { return logits_ + static_cast<size_t>(stream) * 32; }
    const float * peaks(int stream) const { return peaks_ + static_cast<size_t>(stream) * peak_count(); }
    int peak_count() const { return network_.config.base_lm.layers * network_.config.base_lm.heads; }
    // [stream][padded hidden] each.
    std::vector<float> hidden();
    std::vector<float> residual_hidden();

    int streams() const { return streams_; }
    int recordings() const { return static_cast<int>(recordings_.size()); }

private:
    struct Variant {
        int timesteps;
        bool adapted, texts;
        auto operator<=>(const Variant &) const = default;
    };
    struct Recorded {
        std::unique_ptr<Recording> recording;
        Cost cost;
    };
    Cost cost() const;
    void launch(const Variant & variant, const std::vector<FlowSchedule::Call> & calls, const float * times);

    Device & device_;
    Queue & queue_;
    const Network & network_;
    const Cache & cache_;
    const SlotState state_;
    const int streams_;
    Arena arena_;
    Staging staging_;
    Staged<int> slots_, positions_, given_, audio_, text_;
    Staged<float> cfg_, noise_, weights_;
    Staged<const AdapterFactors *> adapters_;
    EncoderStage encoder_;
    LmStage lm_;
    FlowStage flow_;
    float *patches_, *logits_, *peaks_, *device_peaks_;
    std::unique_ptr<Clock> clock_;
    std::map<Variant, Recorded> recordings_;
};

// The audio of a patch of each of several sessions.
class DecodeBatch {
public:
    DecodeBatch(Device & device, Queue & queue, const Vae & vae, const Config & config, int streams);
    struct Stream {
        float * state;
        int turn;
        const float * patch;
    };
    // Starts it.
    void start(const std::vector<Stream> & streams);
    // After the queue is done: [sample] of a stream.
    const float * samples(int stream) const { return samples_ + static_cast<size_t>(stream) * stage_.out_frames(); }
    int samples_of_stream() const { return stage_.out_frames(); }
    int streams() const { return streams_; }

private:
    const int streams_, values_;
    Arena arena_;
    Staging staging_;
    Staged<float> latents_;
    Staged<float *> states_;
    Staged<int> turns_;
    VaeStage stage_;
    float *spare_, *samples_; // spare: the states of idle streams
    size_t spare_values_ = 0;
    std::unique_ptr<Recording> recording_;
};

} // namespace svc::cuda
