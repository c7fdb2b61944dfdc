#include "cuda/stages.h"

#include <algorithm>

#include "cuda/kernels/prepare.h"

namespace svc::cuda {

EncoderStage::EncoderStage(Device & device, Queue & queue, const Network & network, int patches)
    : Stage(device, queue, network, patches * (1 + network.config.patch_size)), patches_(patches),
      patch_columns_(columns(patches * network.config.patch_size, network.config.feature_dim)),
      scratch_(scratch(network.encoder.shape, patches * (1 + network.config.patch_size))) {
    const StackShape & shape = network.encoder.shape;
    const int length = 1 + network.config.patch_size, width = shape.width();
    x_ = floats(static_cast<size_t>(patches) * length * width);
    encoded_ = floats(static_cast<size_t>(patches) * width);
    embeddings_ = floats(static_cast<size_t>(patches) * network.base_lm.shape.width());
    // the special token never changes
    std::vector<float> special;
    for (int i = 0; i < patches; i++)
        special.insert(special.end(), network.special_token.begin(), network.special_token.end());
    const PrepareJob job{
        .a = arena_.copy(special),
        .stride = width,
        .depth = width,
        .columns = patches,
        .norm = network.encoder.layers[0].attention_norm,
        .out = x_,
        .to = {1, length, 0},
        .next = scratch_.input,
    };
    launch_columns("prepare", by_values(width, patches), 256, 0, job, converted(patches, width));
    queue.synchronize();
}

void EncoderStage::run(const float * patches, const int * slots, const BatchAdapters & adapters) {
    const Config & config = network_.config;
    const int length = 1 + config.patch_size, frames = patches_ * config.patch_size,
              width = network_.encoder.shape.width(), lm = network_.base_lm.shape.width();
    adapters_ = adapters;
    each_ = 1;
    const PrepareJob job{
        .a = patches,
        .stride = config.feature_dim,
        .depth = config.feature_dim,
        .columns = frames,
        .slots = slots,
        .each = config.patch_size,
        .next = patch_columns_,
    };
    launch_columns(
        "prepare", by_values(config.feature_dim, frames), 256, 0, job, converted(frames, config.feature_dim)
    );
    Finish in = to_floats(network_.encoder_in, x_, width);
    in.to = {config.patch_size, length, 1};
    in.next = scratch_.input;
    in.norm = network_.encoder.layers[0].attention_norm;
    product(network_.encoder_in, patch_columns_, frames, in);
    const ColumnMap first{1, length, 0};
    local_stack(network_.encoder, scratch_, x_, patches_, length, {first, patches_});
    product(network_.enc_to_lm, scratch_.normed, patches_, to_floats(network_.enc_to_lm, embeddings_, lm), first);
}

void EncoderStage::read_encoded() {
    const int width = network_.encoder.shape.width();
    const NormalizeJob job{
        .x = scratch_.x,
        .columns = patches_,
        .stride = width,
        .from = {1, 1 + network_.config.patch_size, 0},
        .normed = scratch_.normed,
        .norm = network_.encoder.output_norm,
        .eps = network_.encoder.shape.eps,
        .out = encoded_,
    };
    launch("normalize", by_values(width, patches_), 256, 0, job, 2 * float_bytes(patches_, width));
}

LmStage::LmStage(Device & device, Queue & queue, const Network & network, int count)
    : Stage(device, queue, network, count), columns_(count), base_(scratch(network.base_lm.shape, count)),
      residual_(scratch(network.residual_lm.shape, count)), fsq_(columns(count, network.config.fsq_dim)),
      hidden_columns_(columns(
          count,
          network.config.v2 ? (network.base_lm.shape.hidden + step_depth - 1) / step_depth * step_depth * 2
                            : network.base_lm.shape.hidden
      )),
      stop_(columns(count, network.base_lm.shape.width())) {
    const size_t all = static_cast<size_t>(count) * network.base_lm.shape.width();
    embedding_ = floats(all);
    quantized_ = floats(all);
    hidden_ = floats(all);
    residual_hidden_ = floats(all);
    logits_ = floats(static_cast<size_t>(count) * 32);
    mu_ = floats(static_cast<size_t>(count) * network.config.mu_tokens() * network.dit.shape.width());
}

void LmStage::run(const Inputs & inputs, bool wants_heads) {
    const Stack & base = network_.base_lm;
    const int width = base.shape.width();
    adapters_ = inputs.adapters;
    each_ = inputs.each;
    const PrepareJob start{
        .a = inputs.embeddings,
        .stride = width,
        .depth = width,
        .columns = columns_,
        .replaced = inputs.given,
        .replacement = inputs.slot_embeddings,
        .slots_of = inputs.cache.slots,
        .norm = base.layers[0].attention_norm,
        .out = embedding_,
        .next = base_.input,
    };
    launch_columns(
        "prepare", by_values(width, columns_), 256, 0, start, converted(columns_, width) + float_bytes(columns_, width)
    );
    cached_stack(base, base_, embedding_, columns_, inputs.cache, 0);
    quantize();
    const bool v2 = network_.config.v2;
    FuseJob fuse{
        .columns = columns_,
        .stride = width,
        .x = base_.x,
        .normed = base_.normed,
        .norm = base.output_norm,
        .eps = base.shape.eps,
        .quantized = quantized_,
        .embedding = embedding_,
        .audio = inputs.audio,
        .hidden_out = hidden_,
        .hidden = hidden_columns_,
        .concatenates = v2,
        .next = v2 ? hidden_columns_ : residual_.input,
        .next_block = v2 ? hidden_columns_.blocks / 2 : 0,
        .next_norm = network_.residual_lm.layers[0].attention_norm,
        .next_out = residual_.x,
    };
    launch_columns(
        "fuse", by_values(width, columns_), 256, 0, fuse,
        3 * float_bytes(columns_, width) + 2 * column_bytes(format_, columns_, width)
    );
    if (v2) {
        Finish joined = to_floats(network_.fusion, residual_.x, width);
        joined.next = residual_.input;
        joined.norm = network_.residual_lm.layers[0].attention_norm;
        product(network_.fusion, hidden_columns_, columns_, joined);
    }
    cached_stack(
        network_.residual_lm, residual_, nullptr, columns_, inputs.cache, network_.config.base_lm.layers, wants_heads
    );
    if (wants_heads) heads(hidden_columns_);
}

void LmStage::quantize() {
    const StackShape & shape = network_.base_lm.shape;
    product(
        network_.fsq_in, base_.normed, columns_,
        {
            .eps = shape.eps,
            .bias = network_.fsq_in.bias,
            .activation = Activation::levels,
            .levels = network_.config.fsq_scale,
            .next = fsq_,
        }
    );
    product(network_.fsq_out, fsq_, columns_, to_floats(network_.fsq_out, quantized_, shape.width()));
}

void LmStage::stop_head(const Columns & hidden) {
    product(
        network_.stop_proj, hidden, columns_,
        {.bias = network_.stop_proj.bias, .activation = Activation::silu, .next = stop_}
    );
    product(network_.stop_head, stop_, columns_, to_floats(network_.stop_head, logits_, 32));
}

void LmStage::heads(const Columns & hidden) {
    const int tokens = network_.config.mu_tokens(), dit = network_.dit.shape.width();
    stop_head(hidden);
    Finish from_lm = to_floats(network_.lm_to_dit, mu_, dit);
    from_lm.to = {1, tokens, 0};
    product(network_.lm_to_dit, hidden, columns_, from_lm);
    Finish from_residual = to_floats(network_.res_to_dit, mu_, dit);
    from_residual.to = {1, tokens, tokens - 1};
    if (tokens == 1) from_residual.residual = mu_;
    product(network_.res_to_dit, residual_.normed, columns_, from_residual);
}

void LmStage::read_residual() { normalize(network_.residual_lm, residual_, residual_hidden_); }

void LmStage::normalize(const Stack & stack, const Scratch & s, float * out) {
    const NormalizeJob job{
        .x = s.x,
        .columns = columns_,
        .stride = stack.shape.width(),
        .normed = s.normed,
        .norm = stack.output_norm,
        .eps = stack.shape.eps,
        .out = out,
    };
    const int width = stack.shape.width();
    launch("normalize", by_values(width, columns_), 256, 0, job, 2 * float_bytes(columns_, width));
}

void LmStage::to_columns(
    const float * x, int stride, int depth, const float * norm, float * copy, const Columns & next
) {
    const PrepareJob job{
        .a = x, .stride = stride, .depth = depth, .columns = columns_, .norm = norm, .out = copy, .next = next
    };
    launch_columns("prepare", by_values(depth, columns_), 256, 0, job, converted(columns_, depth));
}

void LmStage::run_stack(const Stack & stack, const float * x, float * out, const BatchCache & cache, int first_layer) {
    const int width = stack.shape.width();
    to_columns(x, width, width, stack.layers[0].attention_norm, embedding_, base_.input);
    cached_stack(stack, base_, embedding_, columns_, cache, first_layer);
    normalize(stack, base_, out);
}

void LmStage::quantize(const float * x, float * levels, float * out) {
    const int width = network_.base_lm.shape.width();
    to_columns(x, width, width, nullptr, nullptr, hidden_columns_);
    Finish bounded = to_floats(network_.fsq_in, levels, network_.fsq_in.weight.rows);
    product(network_.fsq_in, hidden_columns_, columns_, bounded);
    if (tap_) tap_("unbounded", levels, columns_, network_.config.fsq_dim, network_.fsq_in.weight.rows);
    bounded.activation = Activation::levels;
    bounded.levels = network_.config.fsq_scale;
    bounded.next = fsq_;
    product(network_.fsq_in, hidden_columns_, columns_, bounded);
    product(network_.fsq_out, fsq_, columns_, to_floats(network_.fsq_out, out, width));
}

void LmStage::stop(const float * x) {
    const int width = network_.base_lm.shape.width();
    to_columns(x, width, width, nullptr, nullptr, hidden_columns_);
    stop_head(hidden_columns_);
}

void LmStage::fuse(const float * x, float * out) {
    const int width = network_.base_lm.shape.width();
    Columns second = hidden_columns_;
    const size_t skipped = static_cast<size_t>(second.blocks / 2) * second.capacity;
    second.values += skipped * block_bytes(format_);
    if (second.scales) second.scales += skipped;
    to_columns(x, 2 * width, width, nullptr, nullptr, hidden_columns_);
    to_columns(x + width, 2 * width, width, nullptr, nullptr, second);
    product(network_.fusion, hidden_columns_, columns_, to_floats(network_.fusion, out, width));
}

FlowStage::FlowStage(Device & device, Queue & queue, const Network & network, int streams)
    : Stage(device, queue, network, 2 * streams * network.config.dit_length()), streams_(streams),
      scratch_(scratch(network.dit.shape, 2 * streams * network.config.dit_length())),
      conditions_(columns(streams * network.config.patch_size, network.config.feature_dim)) {
    const Config & config = network.config;
    const size_t count = static_cast<size_t>(streams);
    cond_ = floats(count * config.patch_size * network.dit.shape.width());
    velocity_ = floats(count * 2 * config.patch_size * padded(config.feature_dim));
    for (float *& x : x_) x = floats(count * config.patch_values());
    patches_ = floats(count * config.patch_values());
}

void FlowStage::condition(const Inputs & inputs) {
    const Config & config = network_.config;
    const int frames = streams_ * config.patch_size;
    const PrepareJob job{
        .a = inputs.previous,
        .stride = config.feature_dim,
        .depth = config.feature_dim,
        .columns = frames,
        .slots = inputs.slots,
        .each = config.patch_size,
        .next = conditions_,
    };
    launch_columns(
        "prepare", by_values(config.feature_dim, frames), 256, 0, job, converted(frames, config.feature_dim)
    );
    product(network_.cond, conditions_, frames, to_floats(network_.cond, cond_, network_.dit.shape.width()));
}

void FlowStage::call(const Inputs & inputs, const EulerJob & euler, float * x_out, const float * time) {
    const Config & config = network_.config;
    const int patch = config.patch_size, length = config.dit_length(), width = network_.dit.shape.width();
    const FlowJob job{
        .euler = euler,
        .x_out = x_out,
        .hidden = width,
        .mu_tokens = config.mu_tokens(),
        .time = time,
        .mu = inputs.mu,
        .cond = cond_,
        .in_weight = network_.dit_in_weight,
        .in_bias = network_.dit_in_bias,
        .norm = network_.dit.layers[0].attention_norm,
        .out = scratch_.x,
        .next = scratch_.input,
    };
    launch_columns(
        "flow_input", {(width + 127) / 128, streams_}, flow_threads, flow_shared, job,
        float_bytes(config.feature_dim + 2, width) + float_bytes(streams_ * (config.mu_tokens() + patch), width) +
            converted(2 * streams_ * length, width)
    );
    const ColumnMap moved{patch, length, length - patch};
    const int count = 2 * streams_ * patch;
    local_stack(network_.dit, scratch_, nullptr, 2 * streams_, length, {moved, count});
    product(
        network_.out, scratch_.normed, count, to_floats(network_.out, velocity_, padded(config.feature_dim)), moved
    );
}

void FlowStage::run(const Inputs & inputs, const std::vector<FlowSchedule::Call> & calls, const float * times) {
    const Config & config = network_.config;
    adapters_ = inputs.adapters;
    adapters_.streams = streams_;
    each_ = config.dit_length();
    condition(inputs);
    EulerJob euler{
        .sessions = streams_,
        .patch_size = config.patch_size,
        .feature_dim = config.feature_dim,
        .x = inputs.noise,
        .velocity_stride = padded(config.feature_dim),
        .cfg = inputs.cfg,
        .zero_star = inputs.zero_star,
    };
    for (size_t i = 0; i < calls.size(); i++) {
        call(inputs, euler, x_[i % 2], times + i * network_.dit.shape.width());
        if (tap_) tap_("traj.x", x_[i % 2], streams_ * config.patch_size, config.feature_dim, config.feature_dim);
        euler.x = x_[i % 2];
        euler.velocity = velocity_;
        euler.step = calls[i].step;
    }
    launch(
        "flow_end", {streams_}, flow_threads, flow_shared,
        FlowEndJob{.euler = euler, .patch = patches_, .state = inputs.state, .slots = inputs.slots},
        float_bytes(5 * streams_, config.patch_values())
    );
}

void FlowStage::estimate(const Inputs & inputs, const float * time) {
    const Config & config = network_.config;
    adapters_ = {};
    condition(inputs);
    const EulerJob euler{
        .sessions = streams_, .patch_size = config.patch_size, .feature_dim = config.feature_dim, .x = inputs.noise
    };
    call(inputs, euler, x_[0], time);
}

} // namespace svc::cuda
