// The audio VAE: causal convolutions over streams of frames. Frames are [stream][frame][channels]. A convolution is a
// product whose columns are windows of frames, built here, or, where each channel has a kernel of its own, computed here.
// What is left of a chunk is carried in the state of each stream, in two copies: one is read while the other is written.
#pragma once
#include "cuda/kernels/columns.h"

namespace svc::cuda {

// x + sin²(alpha · x) / (alpha + 1e-9), on values that are first scaled and shifted for a sample rate.
struct Snake {
    const float * alpha = nullptr; // [channels]; null: none
    const float * reciprocal = nullptr;
    const float * scale = nullptr; // [channels]; null: none
    const float * shift = nullptr;

    inline float of(float x, int channel) const {
        if (scale) x *= scale[channel];
        if (shift) x += shift[channel];
        if (!alpha) return x;
        const float s = sine(alpha[channel] * x);
        return x + s * s * reciprocal[channel];
    }
    // Of its square, only: the sign may be wrong.
    static inline float sine(float x) {
        constexpr float pi_high = 3.140625f, pi_low = 9.67653589793e-4f;
        const float turns = nearest(x * 0.318309886f);
        return sine_fast((x - turns * pi_high) - turns * pi_low);
    }
};

struct StreamStates {
    float * const * states = nullptr; // [stream]: two copies
    const int * turns = nullptr;      // [stream]: which copy is read
    int copy = 0;                     // values of a copy
    int offset = 0;                   // of a convolution
    inline const float * before(int stream) const {
        return states[stream] + static_cast<size_t>(turns[stream]) * copy + offset;
    }
    inline float * after(int stream) const {
        return states[stream] + static_cast<size_t>(1 - turns[stream]) * copy + offset;
    }
};

// The frames that a convolution sees: those of a chunk behind `padding` earlier ones.
struct Frames {
    const float * x = nullptr;
    int frames = 0; // of a stream
    int channels = 0, stride = 0;
    int padding = 0;
    Snake snake = {};
    StreamStates states = {};

    // `frame` may be negative.
    inline float at(int stream, int frame, int channel) const {
        if (channel >= channels) return 0;
        if (frame < 0) return states.before(stream)[(padding + frame) * channels + channel];
        return snake.of(x[(static_cast<size_t>(stream) * frames + frame) * stride + channel], channel);
    }
    // Keeps the last frames for the next chunk. All blocks of a launch take part.
    inline void keep(int stream, int block, int blocks, int threads) const {
        for (int i = block * threads + thread_index(); i < padding * channels; i += blocks * threads)
            states.after(stream)[i] = at(stream, frames - padding + i / channels, i % channels);
    }
};

struct WindowsJob {
    Frames in = {};
    int kernel = 1, dilation = 1, step = 1; // step: frames from one window to the next
    int frames = 0;                         // windows of a stream
    Columns next = {};                      // depth: kernel · channels
};

constexpr int vae_threads = 256;

// A warp has 128 values of a window.
inline void windows(const WindowsJob & job) {
    const int lane = thread_index() % 32, stream = block_z(), window = block_y() * 8 + thread_index() / 32;
    const int first = block_x() * 128 + lane * 4;
    dependents_may_start();
    wait_for_inputs();
    job.in.keep(stream, block_y() * grid_x() + block_x(), grid_x() * grid_y(), vae_threads);
    if (window >= job.frames) return;
    Four x;
    SVC_UNROLL
    for (int i = 0; i < 4; i++) {
        const int k = (first + i) / job.in.channels, channel = (first + i) % job.in.channels;
        x.v[i] =
            k < job.kernel ? job.in.at(stream, window * job.step + k * job.dilation - job.in.padding, channel) : 0.0f;
    }
    store_block<Halves>(job.next, first / block_depth, stream * job.frames + window, lane % 8, x, true);
}

constexpr int vae_taps = 7;

struct DepthwiseJob {
    Frames in = {};
    int dilation = 1;
    const float * taps = nullptr; // [vae_taps][channels]
    const float * bias = nullptr;
    Snake snake = {}; // of the result
    Columns next = {};
};

// A warp has 128 channels of a frame.
inline void depthwise(const DepthwiseJob & job) {
    const int lane = thread_index() % 32, stream = block_z(), frame = block_y() * 8 + thread_index() / 32;
    const int first = block_x() * 128 + lane * 4;
    dependents_may_start();
    wait_for_inputs();
    job.in.keep(stream, block_y() * grid_x() + block_x(), grid_x() * grid_y(), vae_threads);
    if (frame >= job.in.frames) return;
    Four sum = {{0, 0, 0, 0}};
    SVC_UNROLL
    for (int i = 0; i < 4; i++) {
        const int channel = first + i;
        if (channel >= job.in.channels) continue;
        float y = job.bias[channel];
        for (int k = 0; k < vae_taps; k++)
            y += job.taps[k * job.in.channels + channel] *
                job.in.at(stream, frame - (vae_taps - 1 - k) * job.dilation, channel);
        sum.v[i] = job.snake.of(y, channel);
    }
    store_block<Halves>(job.next, first / block_depth, stream * job.in.frames + frame, lane % 8, sum, true);
}

struct SamplesJob {
    Frames in = {};
    const float * taps = nullptr; // [vae_taps][channels]
    const float * bias = nullptr; // one
    float * out = nullptr;        // [stream][frames]
};

// The last convolution, of one output channel: a warp has a sample.
inline void samples(const SamplesJob & job) {
    const int lane = thread_index() % 32, stream = block_z(), frame = block_x() * 8 + thread_index() / 32;
    dependents_may_start();
    wait_for_inputs();
    job.in.keep(stream, block_x(), grid_x(), vae_threads);
    if (frame >= job.in.frames) return;
    float sum = 0;
    for (int i = lane; i < vae_taps * job.in.channels; i += 32)
        sum += job.taps[i] * job.in.at(stream, frame - (vae_taps - 1) + i / job.in.channels, i % job.in.channels);
    sum = warp_sum(sum);
    if (lane == 0) job.out[static_cast<size_t>(stream) * job.in.frames + frame] = hyperbolic_tangent(sum + job.bias[0]);
}

} // namespace svc::cuda
