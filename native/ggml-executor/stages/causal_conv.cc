#include "ggml-executor/stages/causal_conv.h"

#include <algorithm>

#include "ggml-executor/stages/linear.h"

namespace svc {

VaeState::VaeState(const std::vector<CarriedFrames> & shapes, const Compute & compute) : storage_(shapes.size()) {
    for (const CarriedFrames & shape : shapes)
        tensors_.push_back(ggml_new_tensor_2d(storage_.context(), GGML_TYPE_F32, shape.channels, shape.frames));
    storage_.allocate(compute.buffer_type());
}

VaeState::VaeState(const std::vector<CarriedFrames> & shapes, Graph & graph) : storage_(0) {
    for (const CarriedFrames & shape : shapes)
        tensors_.push_back(graph.slot(GGML_TYPE_F32, shape.channels, shape.frames));
}

std::vector<float> VaeState::save() const {
    std::vector<float> values;
    for (const ggml_tensor * tensor : tensors_) {
        const size_t offset = values.size();
        values.resize(offset + ggml_nelements(tensor));
        ggml_backend_tensor_get(tensor, values.data() + offset, 0, ggml_nbytes(tensor));
    }
    return values;
}

void VaeState::load(const std::vector<float> & values) {
    size_t offset = 0;
    for (ggml_tensor * tensor : tensors_) {
        ggml_backend_tensor_set(tensor, values.data() + offset, 0, ggml_nbytes(tensor));
        offset += ggml_nelements(tensor);
    }
}

void VaeState::bind(Graph & graph, const VaeState & state) const {
    for (size_t i = 0; i < tensors_.size(); i++) graph.bind(tensors_[i], state.tensors_[i]);
}

namespace {

// The frames of one stream.
ggml_tensor * frames_of(Graph & graph, ggml_tensor * x, const Streams & streams, size_t index) {
    if (streams.size() == 1) return x;
    const int64_t frames = x->ne[1] / static_cast<int64_t>(streams.size());
    return ggml_view_2d(graph.context(), x, x->ne[0], frames, x->nb[1], static_cast<size_t>(frames) * index * x->nb[1]);
}

// Prepends the state's frames to x and keeps the last frames as the state for the next chunk.
ggml_tensor * prepend_state(Graph & graph, ggml_tensor * state, ggml_tensor * x) {
    ggml_context * c = graph.context();
    ggml_tensor * extended = ggml_concat(c, state, x, 1);
    const int64_t kept = state->ne[1];
    ggml_tensor * tail =
        ggml_view_2d(c, extended, x->ne[0], kept, extended->nb[1], (extended->ne[1] - kept) * extended->nb[1]);
    graph.expand(ggml_cpy(c, tail, state));
    return extended;
}

// For each frame, the previous frame of its stream. The last frame becomes the stream's state.
void compute_before(ggml_tensor * out, int, int, void * data) {
    const auto & states = *static_cast<const std::vector<ggml_tensor *> *>(data);
    const size_t channels = out->ne[0], frames = out->ne[1] / states.size();
    const float * x = static_cast<const float *>(out->src[0]->data);
    float * to = static_cast<float *>(out->data);
    for (ggml_tensor * state : states) {
        auto * last = static_cast<float *>(state->data);
        std::copy_n(last, channels, to);
        std::copy_n(x, channels * (frames - 1), to + channels);
        std::copy_n(x + channels * (frames - 1), channels, last);
        x += channels * frames;
        to += channels * frames;
    }
}

} // namespace

CausalConv::CausalConv(Weights & weights, const ConvDescription & shape) : shape_(shape) {
    const std::string weight = shape.name + ".weight";
    const int64_t in = shape.depthwise ? 1 : shape.in, out = shape.out, kernel = shape.kernel;
    weights.check(weight, shape.weights()); // fails on a wrong shape
    bias_ = weights.vector(shape.name + ".bias", out);
    // the file has [kernel, in, out]
    const Places rows{in * kernel};
    if (shape.depthwise) {
        const Weights * file = &weights;
        for (int64_t k = 0; k < kernel; k++) {
            taps_.push_back(weights.derived(GGML_TYPE_F32, out, 1, [=] {
                const std::vector<float> values = file->values(weight, kernel * out);
                std::vector<float> tap(out);
                for (int64_t i = 0; i < out; i++) tap[i] = values[i * kernel + k];
                return tap;
            }));
        }
    } else if (shape.dilation > 1) {
        for (int64_t k = 0; k < kernel; k++)
            tap_matrices_.push_back(weights.rearranged(weight, in, out, k, rows, {kernel}));
    } else {
        window_ = weights.rearranged(weight, kernel * in, out, 0, rows, {kernel, in, 1});
    }
}

ggml_tensor * CausalConv::build(Graph & graph, const Streams & streams, ggml_tensor * x) const {
    return build_onto(graph, streams, x, nullptr);
}

ggml_tensor * CausalConv::build_onto(
    Graph & graph, const Streams & streams, ggml_tensor * x, ggml_tensor * residual
) const {
    if (shape_.state < 0) return convolve(graph, x, x->ne[1] / shape_.stride, residual);
    ggml_context * c = graph.context();
    ggml_tensor * all = nullptr;
    for (size_t i = 0; i < streams.size(); i++) {
        ggml_tensor * own = frames_of(graph, x, streams, i);
        ggml_tensor * y = convolve(
            graph, prepend_state(graph, streams[i]->at(shape_.state), own), own->ne[1] / shape_.stride,
            residual ? frames_of(graph, residual, streams, i) : nullptr
        );
        all = all ? ggml_concat(c, all, y, 1) : y;
    }
    return all;
}

ggml_tensor * CausalConv::convolve(
    Graph & graph, ggml_tensor * extended, int64_t frames, ggml_tensor * residual
) const {
    if (!shape_.depthwise && tap_matrices_.empty()) return build_windows(graph, extended, frames, residual);
    ggml_tensor * y = shape_.depthwise ? build_depthwise(graph, extended, frames) : build_taps(graph, extended, frames);
    y = ggml_add(graph.context(), y, bias_);
    return residual ? ggml_add(graph.context(), residual, y) : y;
}

ggml_tensor * CausalConv::build_depthwise(Graph & graph, ggml_tensor * extended, int64_t frames) const {
    ggml_context * c = graph.context();
    ggml_tensor * sum = nullptr;
    for (int k = 0; k < shape_.kernel; k++) {
        ggml_tensor * shifted = ggml_view_2d(
            c, extended, shape_.in, frames, extended->nb[1], static_cast<size_t>(k) * shape_.dilation * extended->nb[1]
        );
        ggml_tensor * product = ggml_mul(c, shifted, taps_[k]);
        sum = sum ? ggml_add(c, sum, product) : product;
    }
    return sum;
}

ggml_tensor * CausalConv::build_windows(
    Graph & graph, ggml_tensor * extended, int64_t frames, ggml_tensor * residual
) const {
    ggml_context * c = graph.context();
    const int64_t width = shape_.kernel * shape_.in;
    if (shape_.kernel == 1 && shape_.stride == 1) return linear(graph, window_, extended, bias_, residual);
    // a window is `kernel` adjacent columns; windows overlap, which ggml_view_2d rejects, so the view is made for one
    // window and widened
    ggml_tensor * windows = ggml_view_2d(c, extended, width, 1, extended->nb[1] * shape_.stride, 0);
    windows->ne[1] = frames;
    windows->nb[2] = windows->nb[3] = windows->nb[1] * frames;
    // kernels of other devices assume that rows don't overlap
    if (!graph.compute().is_cpu()) windows = ggml_cont(c, windows);
    return linear(graph, window_, windows, bias_, residual);
}

ggml_tensor * CausalConv::build_taps(Graph & graph, ggml_tensor * extended, int64_t frames) const {
    ggml_context * c = graph.context();
    ggml_tensor * sum = nullptr;
    for (int k = 0; k < shape_.kernel; k++) {
        ggml_tensor * shifted = ggml_view_2d(
            c, extended, shape_.in, frames, extended->nb[1], static_cast<size_t>(k) * shape_.dilation * extended->nb[1]
        );
        ggml_tensor * product = linear(graph, tap_matrices_[k], shifted);
        sum = sum ? ggml_add(c, sum, product) : product;
    }
    return sum;
}

CausalUpsample::CausalUpsample(Weights & weights, const UpsampleDescription & shape) : shape_(shape) {
    const std::string weight = shape.name + ".weight", bias = shape.name + ".bias";
    const int64_t in = shape.in, out = shape.out, stride = shape.stride, kernel = 2 * stride;
    weights.check(weight, shape.weights());
    const Weights * file = &weights;
    weights.check(bias, out);
    bias_ = weights.derived(GGML_TYPE_F32, out * stride, 1, [=] {
        const std::vector<float> once = file->values(bias, out);
        std::vector<float> each;
        for (int64_t j = 0; j < stride; j++) each.insert(each.end(), once.begin(), once.end());
        return each;
    });
    // y[t · stride + j] = x[t] · w[j] + x[t - 1] · w[j + stride]; the file has [kernel, out, in]
    const Places rows{kernel, out, 1}, columns{out * kernel};
    current_ = weights.rearranged(weight, in, stride * out, 0, rows, columns);
    previous_ = weights.rearranged(weight, in, stride * out, stride, rows, columns);
}

ggml_tensor * CausalUpsample::build(Graph & graph, const Streams & streams, ggml_tensor * x) const {
    ggml_context * c = graph.context();
    ggml_tensor * y = linear(graph, current_, x, bias_, linear(graph, previous_, build_before(graph, streams, x)));
    return ggml_reshape_2d(c, y, shape_.out, x->ne[1] * shape_.stride);
}

ggml_tensor * CausalUpsample::build_before(Graph & graph, const Streams & streams, ggml_tensor * x) const {
    ggml_context * c = graph.context();
    if (graph.compute().kernels()) {
        auto * states = graph.keep(std::make_unique<std::vector<ggml_tensor *>>());
        for (const VaeState * state : streams) states->push_back(state->at(shape_.state));
        return ggml_custom_4d(c, GGML_TYPE_F32, shape_.in, x->ne[1], 1, 1, &x, 1, compute_before, 1, states);
    }
    ggml_tensor * before = nullptr;
    for (size_t i = 0; i < streams.size(); i++) {
        ggml_tensor * own = frames_of(graph, x, streams, i);
        ggml_tensor * extended = prepend_state(graph, streams[i]->at(shape_.state), own);
        ggml_tensor * shifted = ggml_view_2d(c, extended, shape_.in, own->ne[1], extended->nb[1], 0);
        before = before ? ggml_concat(c, before, shifted, 1) : shifted;
    }
    return before;
}

namespace {

const float * floats(const ggml_tensor * tensor) { return static_cast<const float *>(tensor->data); }

void compute_snake(ggml_tensor * out, int, int, void * data) {
    const auto & compute = *static_cast<const Compute *>(data);
    const SnakeJob job{
        .channels = static_cast<int>(out->ne[0]),
        .frames = static_cast<int>(out->ne[1]),
        .x = floats(out->src[0]),
        .alpha = floats(out->src[1]),
        .reciprocal = floats(out->src[2]),
        .out = static_cast<float *>(out->data),
    };
    compute.team().run([&](Member & member) { compute.kernels()->snake(job, member); });
}

struct SnakeDepthwiseOp {
    const Compute & compute;
    int dilation;
    std::vector<const ggml_tensor *> taps;
    std::vector<ggml_tensor *> states; // one per stream
};

// sources: x, bias, alpha, reciprocal, next alpha, next reciprocal
void compute_snake_depthwise(ggml_tensor * out, int, int, void * data) {
    const auto & op = *static_cast<const SnakeDepthwiseOp *>(data);
    const size_t count = op.states.size(), values = static_cast<size_t>(ggml_nelements(out)) / count;
    std::vector<SnakeDepthwiseJob> jobs;
    for (size_t i = 0; i < count; i++) {
        SnakeDepthwiseJob job{
            .channels = static_cast<int>(out->ne[0]),
            .frames = static_cast<int>(out->ne[1] / static_cast<int64_t>(count)),
            .dilation = op.dilation,
            .x = floats(out->src[0]) + i * values,
            .alpha = floats(out->src[2]),
            .reciprocal = floats(out->src[3]),
            .bias = floats(out->src[1]),
            .next_alpha = floats(out->src[4]),
            .next_reciprocal = floats(out->src[5]),
            .state = static_cast<float *>(op.states[i]->data),
            .out = static_cast<float *>(out->data) + i * values,
        };
        for (int k = 0; k < 7; k++) job.taps[k] = floats(op.taps[k]);
        jobs.push_back(job);
    }
    op.compute.team().run([&](Member & member) {
        op.compute.kernels()->snake_depthwise(jobs.data(), static_cast<int>(jobs.size()), member);
    });
}

} // namespace

Snake::Snake(Weights & weights, const SnakeDescription & description)
    : alpha_(weights.vector(description.name + ".alpha", description.channels)) {
    const Weights * file = &weights;
    reciprocal_ = weights.derived(GGML_TYPE_F32, description.channels, 1, [=] {
        std::vector<float> values = file->values(description.name + ".alpha", description.channels);
        for (float & value : values) value = 1.0f / (value + 1e-9f);
        return values;
    });
}

ggml_tensor * Snake::build(Graph & graph, ggml_tensor * x) const {
    ggml_context * c = graph.context();
    if (graph.compute().kernels()) {
        ggml_tensor * sources[] = {x, alpha_, reciprocal_};
        return ggml_custom_4d(
            c, GGML_TYPE_F32, x->ne[0], x->ne[1], 1, 1, sources, 3, compute_snake, 1,
            const_cast<Compute *>(&graph.compute())
        );
    }
    ggml_tensor * square = ggml_sqr(c, ggml_sin(c, ggml_mul(c, x, alpha_)));
    return ggml_add(c, x, ggml_mul(c, square, reciprocal_));
}

ResidualUnit::ResidualUnit(Weights & weights, const ResidualUnitDescription & description)
    : first_(weights, description.first), dilated_(weights, description.dilated), second_(weights, description.second),
      pointwise_(weights, description.pointwise) {}

ggml_tensor * ResidualUnit::build(Graph & graph, const Streams & streams, ggml_tensor * x) const {
    const bool fused = graph.compute().kernels() && dilated_.shape_.depthwise;
    ggml_tensor * y = fused ? build_fused(graph, streams, x)
                            : second_.build(graph, dilated_.build(graph, streams, first_.build(graph, x)));
    return pointwise_.build_onto(graph, streams, y, x);
}

ggml_tensor * ResidualUnit::build_fused(Graph & graph, const Streams & streams, ggml_tensor * x) const {
    SnakeDepthwiseOp * op = graph.keep(
        std::make_unique<SnakeDepthwiseOp>(SnakeDepthwiseOp{
            graph.compute(), dilated_.shape_.dilation, {dilated_.taps_.begin(), dilated_.taps_.end()}, {}
        })
    );
    for (const VaeState * state : streams) op->states.push_back(state->at(dilated_.shape_.state));
    ggml_tensor * sources[] = {
        x, dilated_.bias_, first_.alpha_, first_.reciprocal_, second_.alpha_, second_.reciprocal_
    };
    return ggml_custom_4d(
        graph.context(), GGML_TYPE_F32, x->ne[0], x->ne[1], 1, 1, sources, 6, compute_snake_depthwise, 1, op
    );
}

} // namespace svc
