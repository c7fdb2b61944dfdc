// Causal convolutions of the audio VAE over a stream of frames.
//
// Frames are columns: a tensor is [channels, frames], with the frames of several streams one after the other. Each
// convolution carries the frames to the left of a chunk as state, so that chunks give exactly the result of the whole
// signal. A new stream's state is zero: the zero padding of the official code (modules/audiovae/audio_vae.py and
// audio_vae_v2.py).
#pragma once
#include <string>
#include <vector>

#include "ggml-executor/weights/weights.h"
#include "ggml-executor/graph.h"

namespace svc {

class VaeState;

// Shapes of the carried frames of a network, collected during its construction.
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
    std::unique_ptr<VaeState> slots(Graph & graph) const;
};

// Carried state of one stream: one tensor per convolution, in network order.
class VaeState {
public:
    VaeState() : storage_(512) {}
    // Slots of a graph, for states of its streams.
    VaeState(Graph & graph, const StateShapes & shapes);
    void bind(Graph & graph, const VaeState & state) const;
    // Adds a tensor of `channels` × `frames` and returns its index in the network. Only before allocate().
    int add(int64_t channels, int64_t frames);
    void allocate(const Compute & compute) { storage_.allocate(compute.buffer_type()); }
    void clear() { storage_.clear(); }
    // All values of the state, and such values back.
    std::vector<float> save() const;
    void load(const std::vector<float> & values);
    ggml_tensor * at(int index) const { return tensors_[index]; }

private:
    Storage storage_;
    std::vector<ggml_tensor *> tensors_;
};

// States of the streams computed together; all have the same number of frames.
using Streams = std::vector<const VaeState *>;

struct ConvShape {
    int64_t in, out;
    int kernel;
    int dilation = 1;
    int stride = 1;
    // zero frames that the official code pads on the left
    int padding = 0;
    bool depthwise = false;
};

class CausalConv {
public:
    // Reads `name`.weight, stored as [kernel, in (1 when depthwise), out], and `name`.bias.
    CausalConv(Weights & weights, StateShapes & states, const std::string & name, const ConvShape & shape);
    // x [in, frames] → [out, frames / stride]; frames is a multiple of the stride.
    ggml_tensor * build(Graph & graph, const Streams & streams, ggml_tensor * x) const;
    // As build(), added to `residual` [out, frames / stride].
    ggml_tensor * build_onto(Graph & graph, const Streams & streams, ggml_tensor * x, ggml_tensor * residual) const;

private:
    friend class ResidualUnit;
    ggml_tensor * convolve(Graph & graph, ggml_tensor * extended, int64_t frames, ggml_tensor * residual) const;
    ggml_tensor * build_depthwise(Graph & graph, ggml_tensor * extended, int64_t frames) const;
    ggml_tensor * build_windows(Graph & graph, ggml_tensor * extended, int64_t frames, ggml_tensor * residual) const;
    ggml_tensor * build_taps(Graph & graph, ggml_tensor * extended, int64_t frames) const;

    ConvShape shape_;
    int state_ = -1;
    Matrix window_;                    // dense: [kernel · in, out], kernel position outermost
    std::vector<ggml_tensor *> taps_;  // depthwise: one vector per kernel position
    std::vector<Matrix> tap_matrices_; // dense and dilated: one matrix per kernel position
    ggml_tensor * bias_;
};

// Transposed convolution with a kernel of twice the stride; the last `stride` outputs are dropped.
class CausalUpsample {
public:
    // Reads `name`.weight, stored as [2 · stride, out, in], and `name`.bias.
    CausalUpsample(
        Weights & weights, StateShapes & states, const std::string & name, int64_t in, int64_t out, int stride
    );
    // x [in, frames] → [out, frames · stride]
    ggml_tensor * build(Graph & graph, const Streams & streams, ggml_tensor * x) const;

private:
    // For each frame of x, the frame before it.
    ggml_tensor * build_before(Graph & graph, const Streams & streams, ggml_tensor * x) const;

    int64_t in_, out_;
    int stride_, state_;
    Matrix current_;  // [in, stride · out]: contribution of a frame to its own outputs
    Matrix previous_; // … and of the frame before it
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

// Snake, dilated convolution, Snake, 1×1 convolution; added to the input.
class ResidualUnit {
public:
    ResidualUnit(
        Weights & weights, StateShapes & states, const std::string & name, int64_t channels, int dilation,
        bool depthwise
    );
    ggml_tensor * build(Graph & graph, const Streams & streams, ggml_tensor * x) const;

private:
    // Snake, depthwise convolution and Snake as one operation on our CPU kernels.
    ggml_tensor * build_fused(Graph & graph, const Streams & streams, ggml_tensor * x) const;

    Snake first_;
    CausalConv dilated_;
    Snake second_;
    CausalConv pointwise_;
};

} // namespace svc
