// Causal convolutions of the audio VAE over a stream of frames.
//
// Frames are columns: a tensor is [channels, frames], or the frames of several streams one after the other. Each convolution carries the frames to the left of a
// chunk as state, so that chunks convolve exactly as the whole signal does; a new stream's state is zero,
// which is the zero padding of the official code (modules/audiovae/audio_vae.py and audio_vae_v2.py).
#pragma once
#include <string>
#include <vector>

#include "model/weights.h"
#include "runtime/graph.h"

namespace svc {

// Carried state of one stream: the convolutions that ran over it ask for their tensors in order.
class VaeState {
public:
    VaeState() : storage_(512) {}
    // A tensor of `channels` × `frames`, by the position of the caller in the network. Only before allocate().
    int add(int64_t channels, int64_t frames);
    void allocate(const Compute & compute) { storage_.allocate(compute.buffer_type()); }
    void clear() { storage_.clear(); }
    ggml_tensor * at(int index) const { return tensors_[index]; }

private:
    Storage storage_;
    std::vector<ggml_tensor *> tensors_;
};

// The states of the streams that are computed at once; all have the same number of frames.
using Streams = std::vector<const VaeState *>;

// Shapes of the carried frames of a network, collected while its layers are constructed.
struct StateShapes {
    struct Shape {
        int64_t channels, frames;
    };
    std::vector<Shape> shapes;
    int add(int64_t channels, int64_t frames) {
        shapes.push_back({channels, frames});
        return static_cast<int>(shapes.size()) - 1;
    }
    std::unique_ptr<VaeState> make(const Compute & compute) const;
};

struct ConvShape {
    int64_t in, out;
    int kernel;
    int dilation = 1;
    int stride = 1;
    // frames of zeros that the official code pads on the left
    int padding = 0;
    bool depthwise = false;
};

class CausalConv {
public:
    // Reads `name`.weight, stored as [kernel, in (1 when depthwise), out], and `name`.bias.
    CausalConv(Weights & weights, StateShapes & states, const std::string & name, const ConvShape & shape);
    // x [in, frames] → [out, frames / stride]; frames is a multiple of the stride.
    ggml_tensor * build(Graph & graph, const Streams & streams, ggml_tensor * x) const;
    // The same, added to `residual` [out, frames / stride].
    ggml_tensor * build_onto(Graph & graph, const Streams & streams, ggml_tensor * x, ggml_tensor * residual) const;

private:
    friend class ResidualUnit;
    ggml_tensor * convolve(Graph & graph, ggml_tensor * extended, int64_t frames, ggml_tensor * residual) const;
    ggml_tensor * build_depthwise(Graph & graph, ggml_tensor * extended, int64_t frames) const;
    ggml_tensor * build_windows(Graph & graph, ggml_tensor * extended, int64_t frames, ggml_tensor * residual) const;
    ggml_tensor * build_taps(Graph & graph, ggml_tensor * extended, int64_t frames) const;

    ConvShape shape_;
    int state_ = -1;
    Matrix window_;                       // dense: [kernel · in, out], the kernel position outermost
    std::vector<ggml_tensor *> taps_;     // depthwise: a vector a kernel position
    std::vector<Matrix> tap_matrices_;    // dense and dilated: a matrix a kernel position
    ggml_tensor * bias_;
};

// Transposed convolution with a kernel of twice the stride, whose last `stride` outputs are cut off.
class CausalUpsample {
public:
    // Reads `name`.weight, stored as [2 · stride, out, in], and `name`.bias.
    CausalUpsample(Weights & weights, StateShapes & states, const std::string & name, int64_t in, int64_t out, int stride);
    // x [in, frames] → [out, frames · stride]
    ggml_tensor * build(Graph & graph, const Streams & streams, ggml_tensor * x) const;

private:
    // The frame before each frame of x.
    ggml_tensor * build_before(Graph & graph, const Streams & streams, ggml_tensor * x) const;

    int64_t in_, out_;
    int stride_, state_;
    Matrix current_;         // [in, stride · out]: what a frame adds to its own outputs
    Matrix previous_;        // … and the frame before it
    ggml_tensor * bias_;
};

// x + sin²(alpha · x) / (alpha + 1e-9)
class Snake {
public:
    Snake(Weights & weights, const std::string & name, int64_t channels);
    ggml_tensor * build(Graph & graph, ggml_tensor * x) const;

private:
    friend class ResidualUnit;
    ggml_tensor *alpha_, *reciprocal_;
};

// Snake, dilated convolution, Snake, 1×1 convolution, added to the input.
class ResidualUnit {
public:
    ResidualUnit(Weights & weights, StateShapes & states, const std::string & name, int64_t channels, int dilation, bool depthwise);
    ggml_tensor * build(Graph & graph, const Streams & streams, ggml_tensor * x) const;

private:
    // Snake, depthwise convolution and Snake as one operation of our CPU kernels.
    ggml_tensor * build_fused(Graph & graph, const Streams & streams, ggml_tensor * x) const;

    Snake first_;
    CausalConv dilated_;
    Snake second_;
    CausalConv pointwise_;
};

} // namespace svc
