#include "ggml-executor/stages/vae_decoder.h"

#include <algorithm>

#include "runtime/error.h"

namespace svc {

RateCondition::RateCondition(
    Weights & weights, StateShapes & states, const std::string & name, int64_t channels, int buckets
) {
    const auto table = [&](const std::string & which, int64_t width) {
        const std::string tensor = name + "." + which + ".weight";
        const Weights * file = &weights;
        weights.check(tensor, width * buckets);
        return weights.derived(GGML_TYPE_F32, width, buckets, [=] { return file->values(tensor, width * buckets); });
    };
    const std::string appended = name + ".cond_embed.weight";
    int64_t width = channels;
    if (weights.has(appended)) {
        const int64_t own = weights.count(appended) / buckets;
        // the input width of an output layer distinguishes an appended vector from an added one
        const int64_t out_values = weights.count(name + ".out_layer.1.weight");
        append_ = own != channels || out_values == channels * (channels + own);
        embedding_ = table("cond_embed", own);
        if (append_) width += own;
    } else {
        scale_ = table("scale_embed", channels);
        bias_ = table("bias_embed", channels);
    }
    if (weights.has(name + ".out_layer.1.weight")) {
        snake_.emplace(weights, name + ".out_layer.0", width);
        out_.emplace(weights, states, name + ".out_layer.1", ConvShape{width, channels, 1});
    }
}

ggml_tensor * RateCondition::pick(Graph & graph, ggml_tensor * table, int bucket) const {
    return ggml_view_1d(graph.context(), table, table->ne[0], bucket * table->nb[1]);
}

ggml_tensor * RateCondition::build(Graph & graph, const Streams & streams, ggml_tensor * x, int bucket) const {
    ggml_context * c = graph.context();
    if (!embedding_) {
        x = ggml_add(c, ggml_mul(c, x, pick(graph, scale_, bucket)), pick(graph, bias_, bucket));
    } else if (append_) {
        x = ggml_concat(c, x, ggml_repeat_4d(c, pick(graph, embedding_, bucket), embedding_->ne[0], x->ne[1], 1, 1), 0);
    } else {
        x = ggml_add(c, x, pick(graph, embedding_, bucket));
    }
    return out_ ? out_->build(graph, streams, snake_->build(graph, x)) : x;
}

VaeDecoder::VaeDecoder(Weights & weights, const Config & config) {
    const std::string prefix = "audio_vae.decoder.";
    const std::string model = prefix + "model.";
    // depthwise decoders start with a depthwise and a 1×1 convolution, others with a dense one
    const bool depthwise = weights.has(model + "1.weight");
    const int64_t latent = config.vae.latent;
    int64_t channels = weights.count(model + (depthwise ? "1.bias" : "0.bias"));
    if (channels < 1) weights.file().refuse("tensor \"", model, depthwise ? "1.bias" : "0.bias", "\" is missing");
    if (channels % (1 << config.vae.decoder_rates.size()) != 0) {
        weights.file().refuse(
            "the channels of the VAE decoder must be divisible by 2 ", config.vae.decoder_rates.size(), " times, got ",
            channels
        );
    }
    int index = 0;
    if (depthwise) {
        first_.emplace_back(weights, states_, model + "0", ConvShape{latent, latent, 7, 1, 1, 6, true});
        first_.emplace_back(weights, states_, model + "1", ConvShape{latent, channels, 1});
        index = 2;
    } else {
        first_.emplace_back(weights, states_, model + "0", ConvShape{latent, channels, 7, 1, 1, 6});
        index = 1;
    }
    // conditioning is used if its tensors exist; without a metadata key, the boundaries are in a tensor
    const bool conditioned = config.v2 &&
        (weights.has(prefix + "sr_cond_model." + std::to_string(index) + ".scale_embed.weight") ||
         weights.has(prefix + "sr_cond_model." + std::to_string(index) + ".cond_embed.weight"));
    if (conditioned) {
        rate_boundaries_ = config.vae.rate_boundaries;
        const ggml_tensor * stored = weights.file().find(prefix + "sr_bin_boundaries");
        if (rate_boundaries_.empty() && stored && stored->type == GGML_TYPE_I32) {
            const auto * values = reinterpret_cast<const int32_t *>(weights.file().data(stored));
            rate_boundaries_.assign(values, values + ggml_nelements(stored));
        }
    }
    for (int stride : config.vae.decoder_rates) {
        const std::string name = model + std::to_string(index) + ".block.";
        Block & block = blocks_.emplace_back();
        if (conditioned)
            block.condition.emplace(
                weights, states_, prefix + "sr_cond_model." + std::to_string(index), channels,
                static_cast<int>(rate_boundaries_.size()) + 1
            );
        block.snake.emplace(weights, name + "0", channels);
        block.upsample.emplace(weights, states_, name + "1", channels, channels / 2, stride);
        channels /= 2;
        int dilation = 1;
        for (int unit = 0; unit < 3; unit++, dilation *= 3)
            block.units.emplace_back(weights, states_, name + std::to_string(unit + 2), channels, dilation, depthwise);
        index++;
    }
    snake_.emplace(weights, model + std::to_string(index), channels);
    last_.emplace(weights, states_, model + std::to_string(index + 1), ConvShape{channels, 1, 7, 1, 1, 6});
}

ggml_tensor * VaeDecoder::build(Graph & graph, const Streams & streams, ggml_tensor * latents, int sample_rate) const {
    // torch.bucketize: the number of boundaries below the rate
    const int bucket =
        static_cast<int>(std::count_if(rate_boundaries_.begin(), rate_boundaries_.end(), [&](int boundary) {
            return boundary < sample_rate;
        }));
    int index = 0;
    const auto tap = [&](ggml_tensor * x) { return graph.tap("mod" + std::to_string(index++), x); };
    ggml_tensor * x = latents;
    for (const CausalConv & conv : first_) x = tap(conv.build(graph, streams, x));
    for (const Block & block : blocks_) {
        if (block.condition) x = block.condition->build(graph, streams, x, bucket);
        x = block.upsample->build(graph, streams, block.snake->build(graph, x));
        for (const ResidualUnit & unit : block.units) x = unit.build(graph, streams, x);
        x = tap(x);
    }
    x = tap(snake_->build(graph, x));
    return ggml_tanh(graph.context(), tap(last_->build(graph, streams, x)));
}

} // namespace svc
