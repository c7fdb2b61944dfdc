#include "model/description/vae.h"

#include <algorithm>
#include <cstring>

namespace svc {
namespace {

int64_t count_of(const GgufFile & file, const std::string & name) {
    const TensorInfo * tensor = file.find(name);
    return tensor ? tensor->count() : 0;
}

// Adds the layers that carry frames.
class Carrier {
public:
    explicit Carrier(std::vector<CarriedFrames> & states) : states_(states) {}

    ConvDescription conv(ConvDescription conv) {
        if (conv.padding > 0) conv.state = carry(conv.in, conv.padding);
        return conv;
    }
    UpsampleDescription upsample(const std::string & name, int64_t in, int64_t out, int stride) {
        return {name, in, out, stride, carry(in, 1)};
    }
    // Three units of increasing dilation, numbered from `first`.
    std::vector<ResidualUnitDescription> units(const std::string & block, int first, int64_t channels, bool depthwise) {
        std::vector<ResidualUnitDescription> units;
        for (int unit = 0, dilation = 1; unit < 3; unit++, dilation *= 3) {
            const std::string name = block + std::to_string(first + unit) + ".block.";
            units.push_back({
                {name + "0", channels},
                conv({name + "1", channels, channels, 7, dilation, 1, 6 * dilation, depthwise}),
                {name + "2", channels},
                conv({name + "3", channels, channels}),
            });
        }
        return units;
    }

private:
    int carry(int64_t channels, int64_t frames) {
        states_.push_back({channels, frames});
        return static_cast<int>(states_.size()) - 1;
    }
    std::vector<CarriedFrames> & states_;
};

RateConditionDescription describe_condition(
    const GgufFile & file, Carrier & carrier, const std::string & name, int64_t channels, int buckets
) {
    const bool has_out = file.find(name + ".out_layer.1.weight") != nullptr;
    RateConditionDescription condition{.name = name, .buckets = buckets, .width = channels, .embedded = false};
    int64_t width = channels;
    if (file.find(name + ".cond_embed.weight")) {
        condition.embedded = true;
        condition.width = count_of(file, name + ".cond_embed.weight") / buckets;
        // the input width of an output layer distinguishes an appended vector from an added one
        const int64_t out_values = count_of(file, name + ".out_layer.1.weight");
        condition.appended = condition.width != channels || out_values == channels * (channels + condition.width);
        if (condition.appended) width += condition.width;
    }
    if (has_out) {
        condition.snake = SnakeDescription{name + ".out_layer.0", width};
        condition.out = carrier.conv({name + ".out_layer.1", width, channels});
    }
    return condition;
}

std::vector<int> boundaries_of(const Config & config, const GgufFile & file) {
    if (!config.vae.rate_boundaries.empty()) return config.vae.rate_boundaries;
    // without a metadata key, they are in a tensor
    const TensorInfo * stored = file.find("audio_vae.decoder.sr_bin_boundaries");
    if (!stored || stored->type != TensorType::i32) return {};
    std::vector<int32_t> values(stored->count());
    if (!file.read(*stored, 0, stored->bytes(), values.data())) file.refuse_changed();
    return {values.begin(), values.end()};
}

} // namespace

int VaeDecoderDescription::bucket_of(int sample_rate) const {
    // torch.bucketize: the number of boundaries below the rate
    return static_cast<int>(std::count_if(rate_boundaries.begin(), rate_boundaries.end(), [&](int boundary) {
        return boundary < sample_rate;
    }));
}

VaeDecoderDescription describe_vae_decoder(const Config & config, const GgufFile & file) {
    const std::string prefix = "audio_vae.decoder.", model = prefix + "model.";
    VaeDecoderDescription vae;
    Carrier carrier(vae.states);
    // depthwise decoders start with a depthwise and a 1×1 convolution, others with a dense one
    const bool depthwise = file.find(model + "1.weight") != nullptr;
    const int64_t latent = config.vae.latent;
    int64_t channels = count_of(file, model + (depthwise ? "1.bias" : "0.bias"));
    if (channels < 1) file.refuse("tensor \"", model, depthwise ? "1.bias" : "0.bias", "\" is missing");
    if (channels % (1 << config.vae.decoder_rates.size()) != 0) {
        file.refuse(
            "the channels of the VAE decoder must be divisible by 2 ", config.vae.decoder_rates.size(), " times, got ",
            channels
        );
    }
    vae.first.push_back(carrier.conv({model + "0", latent, depthwise ? latent : channels, 7, 1, 1, 6, depthwise}));
    if (depthwise) vae.first.push_back(carrier.conv({model + "1", latent, channels}));
    int index = static_cast<int>(vae.first.size());
    const auto condition_name = [&] { return prefix + "sr_cond_model." + std::to_string(index); };
    const bool conditioned = config.v2 &&
        (file.find(condition_name() + ".scale_embed.weight") || file.find(condition_name() + ".cond_embed.weight"));
    if (conditioned) vae.rate_boundaries = boundaries_of(config, file);
    const int buckets = static_cast<int>(vae.rate_boundaries.size()) + 1;
    for (int stride : config.vae.decoder_rates) {
        const std::string name = model + std::to_string(index) + ".block.";
        VaeDecoderDescription::Block & block = vae.blocks.emplace_back();
        if (conditioned) block.condition = describe_condition(file, carrier, condition_name(), channels, buckets);
        block.snake = {name + "0", channels};
        block.upsample = carrier.upsample(name + "1", channels, channels / 2, stride);
        channels /= 2;
        block.units = carrier.units(name, 2, channels, depthwise);
        index++;
    }
    vae.snake = {model + std::to_string(index), channels};
    vae.last = carrier.conv({model + std::to_string(index + 1), channels, 1, 7, 1, 1, 6});
    return vae;
}

VaeEncoderDescription describe_vae_encoder(const Config & config, const GgufFile & file) {
    const std::string prefix = "audio_vae.encoder.";
    VaeEncoderDescription vae;
    Carrier carrier(vae.states);
    int64_t channels = count_of(file, prefix + "block.0.bias");
    if (channels < 1) file.refuse("tensor \"", prefix, "block.0.bias\" is missing");
    // a depthwise kernel has one input channel
    const bool depthwise = count_of(file, prefix + "block.1.block.0.block.1.weight") == 7 * channels;
    vae.first = carrier.conv({prefix + "block.0", 1, channels, 7, 1, 1, 6});
    for (size_t i = 0; i < config.vae.encoder_rates.size(); i++) {
        const std::string name = prefix + "block." + std::to_string(i + 1) + ".block.";
        const int stride = config.vae.encoder_rates[i];
        VaeEncoderDescription::Block & block = vae.blocks.emplace_back();
        block.units = carrier.units(name, 0, channels, depthwise);
        block.snake = {name + "3", channels};
        // model 1 pads an odd stride by one frame more than model 2
        const int padding = 2 * ((stride + 1) / 2) - (config.v2 ? stride % 2 : 0);
        block.downsample = carrier.conv({name + "4", channels, 2 * channels, 2 * stride, 1, stride, padding});
        channels *= 2;
    }
    vae.mu = carrier.conv({prefix + "fc_mu", channels, config.vae.latent, 3, 1, 1, 2});
    return vae;
}

} // namespace svc
