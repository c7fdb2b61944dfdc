#include "cuda/vae.h"

#include <algorithm>
#include <cmath>

#include "cuda/parts.h"
#include "runtime/error.h"

namespace svc::cuda {
namespace {

// Rows of `depth` values, in float16.
PackedMatrix pack_rows(int rows, int depth, const std::function<float(int row, int k)> & value) {
    PackedMatrix packed(Format::halves, rows, depth);
    in_parts(rows, [&](int first, int last) {
        std::vector<float> row(depth);
        for (int r = first; r < last; r++) {
            for (int k = 0; k < depth; k++) row[k] = value(r, k);
            packed.set_row(r, row.data(), depth);
        }
    });
    return packed;
}

} // namespace

void Vae::lay_out(const std::vector<CarriedFrames> & states) {
    for (const CarriedFrames & carried : states) {
        offsets_.push_back(state_values_);
        state_values_ += static_cast<int>(carried.channels * carried.frames);
    }
}

Snake Vae::snake(const SnakeDescription & from) {
    const std::vector<float> alpha = tensors_.values(from.name + ".alpha", from.channels);
    std::vector<float> reciprocal;
    for (float value : alpha) reciprocal.push_back(1.0f / (value + 1e-9f));
    return {.alpha = arena_.copy(alpha), .reciprocal = arena_.copy(reciprocal)};
}

Vae::Conv Vae::conv(const ConvDescription & from) {
    const int in = static_cast<int>(from.in), kernel = from.kernel;
    // the file has [out][in][kernel]; windows have the kernel outermost
    const std::vector<float> values = tensors_.values(from.name + ".weight", from.weights());
    const PackedMatrix packed = pack_rows(static_cast<int>(from.out), kernel * in, [&](int row, int k) {
        return values[(static_cast<size_t>(row) * in + k % in) * kernel + k / in];
    });
    std::vector<float> bias = tensors_.values(from.name + ".bias", from.out);
    bias.resize(packed.rows);
    return {
        .weight = {arena_.copy(packed.data), packed.rows, packed.steps},
        .bias = arena_.copy(bias),
        .in = in,
        .out = static_cast<int>(from.out),
        .kernel = kernel,
        .dilation = from.dilation,
        .stride = from.stride,
        .padding = from.padding,
        .width = packed.rows,
        .offset = offset_of(from.state),
    };
}

// As a convolution over a frame and the one before it whose results are `stride` frames.
Vae::Conv Vae::upsample(const UpsampleDescription & from) {
    const int in = static_cast<int>(from.in), out = static_cast<int>(from.out), stride = from.stride,
              width = padded(out), kernel = 2 * stride;
    // the file has [in][out][kernel]
    const std::vector<float> values = tensors_.values(from.name + ".weight", from.weights());
    const PackedMatrix packed = pack_rows(stride * width, 2 * in, [&](int row, int k) {
        const int j = row / width, o = row % width;
        if (o >= out) return 0.0f;
        return values[(static_cast<size_t>(k % in) * out + o) * kernel + j + (k < in ? stride : 0)];
    });
    const std::vector<float> once = tensors_.values(from.name + ".bias", out);
    std::vector<float> bias(packed.rows);
    for (int j = 0; j < stride; j++) std::copy(once.begin(), once.end(), bias.begin() + static_cast<size_t>(j) * width);
    return {
        .weight = {arena_.copy(packed.data), packed.rows, packed.steps},
        .bias = arena_.copy(bias),
        .in = in,
        .out = out,
        .kernel = 2,
        .padding = 1,
        .width = width,
        .repeat = stride,
        .offset = offset_of(from.state),
    };
}

// Of one kernel per channel, or of one output channel: the file has [channels][kernel] for both.
Vae::Depthwise Vae::depthwise(const ConvDescription & from) {
    const int channels = static_cast<int>(from.in);
    if (from.kernel != vae_taps) fail("MODEL_INVALID", from.name, " must have a kernel of ", vae_taps, " frames");
    const std::vector<float> values = tensors_.values(from.name + ".weight", from.weights());
    std::vector<float> taps(values.size());
    for (int channel = 0; channel < channels; channel++) {
        for (int k = 0; k < vae_taps; k++)
            taps[static_cast<size_t>(k) * channels + channel] = values[static_cast<size_t>(channel) * vae_taps + k];
    }
    return {
        .taps = arena_.copy(taps),
        .bias = arena_.copy(tensors_.values(from.name + ".bias", from.out)),
        .channels = channels,
        .dilation = from.dilation,
        .padding = from.padding,
        .offset = offset_of(from.state),
    };
}

void Vae::add(const Conv & conv, const std::string & name) {
    Unit & unit = units_.emplace_back();
    unit.conv = conv;
    unit.name = name;
}

void Vae::residual_unit(const ResidualUnitDescription & from) {
    Unit unit;
    unit.conv = conv(from.pointwise);
    if (from.dilated.depthwise) {
        unit.depthwise = depthwise(from.dilated);
        unit.depthwise->before = snake(from.first);
        unit.depthwise->after = snake(from.second);
    } else {
        unit.dilated = conv(from.dilated);
        unit.dilated->snake = snake(from.first);
        unit.conv.snake = snake(from.second);
    }
    unit.residual = true;
    units_.push_back(std::move(unit));
}

Vae::Vae(Device & device, const Tensors & tensors, const VaeEncoderDescription & from)
    : tensors_(tensors), arena_(device), in_channels_(static_cast<int>(from.first.in)) {
    lay_out(from.states);
    add(conv(from.first), "block0");
    for (size_t i = 0; i < from.blocks.size(); i++) {
        const VaeEncoderDescription::Block & block = from.blocks[i];
        for (const ResidualUnitDescription & unit : block.units) residual_unit(unit);
        Conv down = conv(block.downsample);
        down.snake = snake(block.snake);
        add(down, "block" + std::to_string(i + 1));
    }
    add(conv(from.mu));
}

Snake Vae::condition(const RateConditionDescription & from, int bucket, int channels) {
    const auto row = [&](const std::string & which) {
        const std::vector<float> all = tensors_.values(from.name + "." + which + ".weight", from.width * from.buckets);
        const auto first = all.begin() + bucket * from.width;
        return std::vector<float>(first, first + from.width);
    };
    Snake scaled;
    std::vector<float> appended;
    if (!from.embedded) {
        scaled.scale = arena_.copy(row("scale_embed"));
        scaled.shift = arena_.copy(row("bias_embed"));
    } else if (from.appended) {
        appended = row("cond_embed");
    } else {
        scaled.shift = arena_.copy(row("cond_embed"));
    }
    if (!from.out) return scaled;
    // what is appended is the same for all frames: a part of the bias
    const int in = static_cast<int>(from.out->in), own = static_cast<int>(appended.size());
    const std::vector<float> alpha = tensors_.values(from.snake->name + ".alpha", in),
                             weight = tensors_.values(from.out->name + ".weight", from.out->weights());
    std::vector<float> bias = tensors_.values(from.out->name + ".bias", channels), reciprocal;
    for (int r = 0; r < channels; r++) {
        double sum = bias[r];
        for (int k = 0; k < own; k++) {
            const double sine = std::sin(static_cast<double>(alpha[channels + k]) * appended[k]);
            sum += weight[static_cast<size_t>(r) * in + channels + k] *
                (appended[k] + sine * sine / (alpha[channels + k] + 1e-9));
        }
        bias[r] = static_cast<float>(sum);
    }
    const PackedMatrix packed =
        pack_rows(channels, channels, [&](int r, int k) { return weight[static_cast<size_t>(r) * in + k]; });
    bias.resize(packed.rows);
    for (int k = 0; k < channels; k++) reciprocal.push_back(1.0f / (alpha[k] + 1e-9f));
    Conv layer{
        .weight = {arena_.copy(packed.data), packed.rows, packed.steps},
        .bias = arena_.copy(bias),
        .in = channels,
        .out = channels,
        .width = packed.rows,
    };
    layer.snake = scaled;
    layer.snake.alpha = arena_.copy(std::vector<float>(alpha.begin(), alpha.begin() + channels));
    layer.snake.reciprocal = arena_.copy(reciprocal);
    add(layer);
    return {};
}

Vae::Vae(Device & device, const Tensors & tensors, const VaeDecoderDescription & from, int sample_rate)
    : tensors_(tensors), arena_(device), in_channels_(static_cast<int>(from.first.front().in)) {
    lay_out(from.states);
    Unit first;
    if (from.first.front().depthwise) first.depthwise = depthwise(from.first.front());
    first.conv = conv(from.first.back());
    first.name = "mod" + std::to_string(from.first.size() - 1);
    units_.push_back(std::move(first));
    const int bucket = from.bucket_of(sample_rate);
    size_t index = from.first.size();
    for (const VaeDecoderDescription::Block & block : from.blocks) {
        Snake scaled;
        if (block.condition) scaled = condition(*block.condition, bucket, static_cast<int>(block.upsample.in));
        Conv up = upsample(block.upsample);
        up.snake = snake(block.snake);
        up.snake.scale = scaled.scale;
        up.snake.shift = scaled.shift;
        add(up);
        for (const ResidualUnitDescription & unit : block.units) residual_unit(unit);
        units_.back().name = "mod" + std::to_string(index++);
    }
    last_ = depthwise(from.last);
    last_->before = snake(from.snake);
}

VaeStage::VaeStage(Device & device, Queue & queue, const Vae & vae, int streams, int frames)
    : Launcher(device, queue), vae_(vae), streams_(streams), frames_(frames) {
    size_t most_floats = 0, most_columns = 0;
    int count = frames;
    const auto note = [&](const Vae::Conv & conv) {
        count /= conv.stride;
        const Columns windows = columns(streams * count, conv.kernel * conv.in);
        most_columns = std::max(most_columns, static_cast<size_t>(windows.blocks) * windows.capacity);
        count *= conv.repeat;
        most_floats = std::max(most_floats, static_cast<size_t>(streams) * count * conv.width);
        out_stride_ = conv.width;
    };
    for (const Vae::Unit & unit : vae.units()) {
        if (unit.dilated) note(*unit.dilated);
        note(unit.conv);
    }
    for (float *& buffer : buffers_) buffer = floats(most_floats);
    column_memory_ = arena_.array<uint8_t>(most_columns * Halves::block_bytes);
    out_frames_ = count;
    if (vae.last()) samples_ = floats(static_cast<size_t>(streams) * count);
    states_.copy = vae.state_values();
}

Columns VaeStage::columns(int count, int depth) const {
    return {
        column_memory_, nullptr, nullptr, (count + 7) / 8 * 8, (depth + step_depth - 1) / step_depth * step_blocks,
        depth,
    };
}

Frames VaeStage::frames_of(const Flow & in, int padding, int offset, const Snake & snake) const {
    StreamStates states = states_;
    states.offset = offset;
    return {in.x, in.frames, in.channels, in.stride, padding, snake, states};
}

VaeStage::Flow VaeStage::convolve(const Vae::Conv & conv, const Flow & in, const float * residual, float * out) {
    const int count = in.frames / conv.stride;
    const Columns next = columns(streams_ * count, conv.kernel * conv.in);
    windows(conv, in, next, count);
    return multiply(conv, next, count, residual, out);
}

void VaeStage::windows(const Vae::Conv & conv, const Flow & in, const Columns & next, int count) {
    const WindowsJob job{
        .in = frames_of(in, conv.padding, conv.offset, conv.snake),
        .kernel = conv.kernel,
        .dilation = conv.dilation,
        .step = conv.stride,
        .frames = count,
        .next = next,
    };
    launch(
        "vae_windows", {next.blocks / step_blocks, (count + 7) / 8, streams_}, vae_threads, 0, job,
        float_bytes(streams_ * in.frames, in.channels) + column_bytes(Format::halves, streams_ * count, next.depth)
    );
}

VaeStage::Flow VaeStage::multiply(
    const Vae::Conv & conv, const Columns & x, int count, const float * residual, float * out
) {
    const int stride = conv.width * conv.repeat;
    ProductJob job{
        .weight = conv.weight,
        .x = x,
        .columns = streams_ * count,
        .finish = {.bias = conv.bias, .residual = residual, .out = out, .stride = stride},
    };
    launch_product(Format::halves, job, false);
    return {out, count * conv.repeat, conv.out, conv.width};
}

VaeStage::Flow VaeStage::unit(const Vae::Unit & unit, const Flow & in) {
    const float * residual = unit.residual ? in.x : nullptr;
    float * out = other(in.x);
    if (unit.depthwise) {
        const Vae::Depthwise & own = *unit.depthwise;
        const Columns next = columns(streams_ * in.frames, own.channels);
        const DepthwiseJob job{
            .in = frames_of(in, own.padding, own.offset, own.before),
            .dilation = own.dilation,
            .taps = own.taps,
            .bias = own.bias,
            .snake = own.after,
            .next = next,
        };
        launch(
            "vae_depthwise", {next.blocks / step_blocks, (in.frames + 7) / 8, streams_}, vae_threads, 0, job,
            float_bytes(streams_ * in.frames, own.channels) +
                column_bytes(Format::halves, streams_ * in.frames, own.channels)
        );
        return multiply(unit.conv, next, in.frames, residual, out);
    }
    Flow x = in;
    if (unit.dilated) {
        x = convolve(*unit.dilated, x, nullptr, out);
        out = other(out);
    }
    return convolve(unit.conv, x, residual, out);
}

void VaeStage::run(const float * x, float * const * states, const int * turns) {
    states_.states = states;
    states_.turns = turns;
    Flow flow{x, frames_, vae_.in_channels(), vae_.in_channels()};
    for (const Vae::Unit & next : vae_.units()) {
        flow = unit(next, flow);
        if (tap_ && !next.name.empty()) tap_(next.name, flow.x, streams_ * flow.frames, flow.channels, flow.stride);
    }
    out_ = flow.x;
    if (!vae_.last()) return;
    const Vae::Depthwise & last = *vae_.last();
    const SamplesJob job{
        .in = frames_of(flow, last.padding, last.offset, last.before),
        .taps = last.taps,
        .bias = last.bias,
        .out = samples_,
    };
    launch(
        "vae_samples", {(flow.frames + 7) / 8, 1, streams_}, vae_threads, 0, job,
        float_bytes(streams_ * flow.frames, flow.channels + 1)
    );
    out_ = samples_;
}

} // namespace svc::cuda
