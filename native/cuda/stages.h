// The parts of a step: local encoder, language models with their heads, flow matching.
#pragma once
#include <vector>

#include "cuda/kernels/flow.h"
#include "cuda/stage.h"
#include "model/description/flow_schedule.h"

namespace svc::cuda {

// Patches → embeddings of the base LM.
class EncoderStage : public Stage {
public:
    EncoderStage(Device & device, Queue & queue, const Network & network, int patches);
    // `patches` has [patch_size · feature_dim] of each; or of each slot, with `slots` [patch].
    void run(const float * patches, const int * slots, const BatchAdapters & adapters);
    float * embeddings() { return embeddings_; } // [patch][padded hidden of the base LM]
    // For comparison with reference values, after run(): [patch][padded hidden of the local encoder].
    void read_encoded();
    float * encoded() { return encoded_; }

private:
    const int patches_;
    Columns patch_columns_;
    Scratch scratch_;
    float *x_, *encoded_, *embeddings_;
};

// Embeddings → hidden states of both language models.
class LmStage : public Stage {
public:
    LmStage(Device & device, Queue & queue, const Network & network, int columns);

    struct Inputs {
        // [column][padded hidden]; those with `given` come from [slot] of `slot_embeddings`
        const float * embeddings = nullptr;
        const int * given = nullptr;
        const float * slot_embeddings = nullptr;
        const int * audio = nullptr; // [column]: 1 or 0
        BatchCache cache = {};
        BatchAdapters adapters = {};
        int each = 1; // columns of a stream
    };
    // Fills the cache; with `heads`, computes what a step needs of the hidden states.
    void run(const Inputs & inputs, bool heads);

    float * hidden() { return hidden_; } // [column][padded hidden]
    float * residual_hidden() { return residual_hidden_; }
    // With `heads`: [column][32], of which the first two are continue and stop; [column][mu_tokens][padded hidden of LocDiT]
    float * logits() { return logits_; }
    float * mu() { return mu_; }
    // Fills residual_hidden() after run() with `heads`.
    void read_residual();

    // Single parts, for comparison with reference values; floats are [column][padded width].
    void run_stack(const Stack & stack, const float * x, float * out, const BatchCache & cache, int first_layer);
    void quantize(const float * x, float * levels, float * out);
    void stop(const float * x);
    // x: [column][2][padded hidden]
    void fuse(const float * x, float * out);

private:
    void normalize(const Stack & stack, const Scratch & s, float * out);
    void to_columns(const float * x, int stride, int depth, const float * norm, float * copy, const Columns & next);
    void quantize();
    void stop_head(const Columns & hidden);
    void heads(const Columns & hidden);

    const int columns_;
    Scratch base_, residual_;
    Columns fsq_, hidden_columns_, stop_;
    float *embedding_, *quantized_, *hidden_, *residual_hidden_, *logits_, *mu_;
};

// Noise → patches.
class FlowStage : public Stage {
public:
    FlowStage(Device & device, Queue & queue, const Network & network, int streams);

    struct Inputs {
        const float * noise = nullptr; // [stream][patch values]
        const float * cfg = nullptr;   // [stream]
        const float * mu = nullptr;    // [stream][mu_tokens][padded hidden]
        // [slot][patch values]: the previous patches, without slots [stream]; and where the new ones go, or null
        const float * previous = nullptr;
        const int * slots = nullptr; // [stream]
        float * state = nullptr;
        BatchAdapters adapters = {};
        bool zero_star = true;
    };
    // `times`: [call][padded hidden], the sum of both embeddings
    void run(const Inputs & inputs, const std::vector<FlowSchedule::Call> & calls, const float * times);
    float * patches() { return patches_; } // [stream][patch values]
    // For comparison with reference values: one call of the estimator on `noise`.
    void estimate(const Inputs & inputs, const float * time);
    float * velocity() { return velocity_; } // [with, without guidance][stream][patch_size][padded feature_dim]

private:
    void condition(const Inputs & inputs);
    void call(const Inputs & inputs, const EulerJob & euler, float * x_out, const float * time);

    const int streams_;
    Scratch scratch_;
    Columns conditions_;
    float *cond_, *velocity_, *x_[2], *patches_;
};

} // namespace svc::cuda
