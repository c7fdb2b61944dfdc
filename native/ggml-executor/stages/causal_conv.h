// The convolutions of the audio VAE, as model/description/vae.h describes them.
//
// Frames are columns: a tensor is [channels, frames], with the frames of several streams one after the other.
#pragma once
#include <string>
#include <vector>

#include "ggml-executor/weights/weights.h"
#include "model/description/vae.h"
#include "ggml-executor/graph.h"

namespace svc {

// Carried state of one stream: one tensor per convolution, in network order.
class VaeState {
public:
    VaeState(const std::vector<CarriedFrames> & shapes, const Compute & compute);
    // Slots of a graph, for states of its streams.
    VaeState(const std::vector<CarriedFrames> & shapes, Graph & graph);
    void bind(Graph & graph, const VaeState & state) const;
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

class CausalConv {
public:
    CausalConv(Weights & weights, const ConvDescription & description);
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

    ConvDescription shape_;
    Matrix window_;                    // dense: [kernel · in, out], kernel position outermost
    std::vector<ggml_tensor *> taps_;  // depthwise: one vector per kernel position
    std::vector<Matrix> tap_matrices_; // dense and dilated: one matrix per kernel position
    ggml_tensor * bias_;
};

// Transposed convolution with a kernel of twice the stride; the last `stride` outputs are dropped.
class CausalUpsample {
public:
    CausalUpsample(Weights & weights, const UpsampleDescription & description);
    // x [in, frames] → [out, frames · stride]
    ggml_tensor * build(Graph & graph, const Streams & streams, ggml_tensor * x) const;

private:
    // For each frame of x, the frame before it.
    ggml_tensor * build_before(Graph & graph, const Streams & streams, ggml_tensor * x) const;

    UpsampleDescription shape_;
    Matrix current_;  // [in, stride · out]: contribution of a frame to its own outputs
    Matrix previous_; // … and of the frame before it
    ggml_tensor * bias_;
};

// x + sin²(alpha · x) / (alpha + 1e-9)
class Snake {
public:
    Snake(Weights & weights, const SnakeDescription & description);
    ggml_tensor * build(Graph & graph, ggml_tensor * x) const;

private:
    friend class ResidualUnit;
    ggml_tensor *alpha_, *reciprocal_;
};

// Snake, dilated convolution, Snake, 1×1 convolution; added to the input.
class ResidualUnit {
public:
    ResidualUnit(Weights & weights, const ResidualUnitDescription & description);
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
