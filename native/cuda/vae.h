// The audio VAE on a device: weights, and launches for a chunk of several streams.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cuda/kernels/vae.h"
#include "cuda/stage.h"
#include "model/description/vae.h"

namespace svc::cuda {

// Weights in float16; float32 between the layers.
class Vae {
public:
    Vae(Device & device, const Tensors & tensors, const VaeEncoderDescription & description);
    // The sample rate chooses the conditioning.
    Vae(Device & device, const Tensors & tensors, const VaeDecoderDescription & description, int sample_rate);

    // A product over windows of frames.
    struct Conv {
        Weight weight = {};
        const float * bias = nullptr;
        int in = 0, out = 0, kernel = 1, dilation = 1, stride = 1, padding = 0;
        int width = 0;  // of a result, padded
        int repeat = 1; // frames of a result: of a transposed convolution
        int offset = 0; // in the state
        Snake snake = {};
    };
    struct Depthwise {
        const float *taps = nullptr, *bias = nullptr;
        int channels = 0, dilation = 1, padding = 0, offset = 0;
        Snake before = {}, after = {};
    };
    // A depthwise or dilated convolution, if any, then another; added to the input of both where `residual`.
    struct Unit {
        std::optional<Depthwise> depthwise;
        std::optional<Conv> dilated;
        Conv conv;
        bool residual = false;
        std::string name; // for comparison with reference values; empty: none
    };
    const std::vector<Unit> & units() const { return units_; }
    // The decoder's last convolution, to samples.
    const std::optional<Depthwise> & last() const { return last_; }
    int in_channels() const { return in_channels_; }
    int state_values() const { return state_values_; } // of one copy of a stream's state
    size_t weight_bytes() const { return arena_.bytes(); }

private:
    void lay_out(const std::vector<CarriedFrames> & states);
    int offset_of(int state) const { return state < 0 ? 0 : offsets_[state]; }
    void add(const Conv & conv, const std::string & name = "");
    Conv conv(const ConvDescription & from);
    Conv upsample(const UpsampleDescription & from);
    Depthwise depthwise(const ConvDescription & from);
    void residual_unit(const ResidualUnitDescription & from);
    Snake snake(const SnakeDescription & from);
    // Returns the scale and shift of the next Snake.
    Snake condition(const RateConditionDescription & from, int bucket, int channels);

    const Tensors & tensors_;
    Arena arena_;
    std::vector<int> offsets_; // of the carried frames of each convolution
    std::vector<Unit> units_;
    std::optional<Depthwise> last_;
    int in_channels_ = 0, state_values_ = 0;
};

class VaeStage : public Launcher {
public:
    // `frames`: of the input, of each stream.
    VaeStage(Device & device, Queue & queue, const Vae & vae, int streams, int frames);

    // x: [stream][frame][in_channels]
    void run(const float * x, float * const * states, const int * turns);
    // Latents [stream][frame][stride()], or samples [stream][sample].
    const float * out() const { return out_; }
    int out_frames() const { return out_frames_; }
    int stride() const { return out_stride_; }

private:
    struct Flow {
        const float * x;
        int frames, channels, stride;
    };
    Columns columns(int count, int depth) const;
    Flow unit(const Vae::Unit & unit, const Flow & in);
    Frames frames_of(const Flow & in, int padding, int offset, const Snake & snake) const;
    Flow convolve(const Vae::Conv & conv, const Flow & in, const float * residual, float * out);
    void windows(const Vae::Conv & conv, const Flow & in, const Columns & next, int frames);
    Flow multiply(const Vae::Conv & conv, const Columns & x, int frames, const float * residual, float * out);
    float * other(const float * x) {
        return x == buffers_[0] ? buffers_[1] : x == buffers_[1] ? buffers_[2] : buffers_[0];
    }

    const Vae & vae_;
    const int streams_, frames_;
    StreamStates states_ = {};
    float * buffers_[3] = {};
    uint8_t * column_memory_ = nullptr;
    const float * out_ = nullptr;
    float * samples_ = nullptr;
    int out_frames_ = 0, out_stride_ = 0;
};

} // namespace svc::cuda
