#include "ggml-executor/stages/vae_decoder.h"

namespace svc {

RateCondition::RateCondition(Weights & weights, const RateConditionDescription & description)
    : append_(description.appended) {
    const auto table = [&](const std::string & which) {
        const std::string tensor = description.name + "." + which + ".weight";
        const int64_t width = description.width, buckets = description.buckets;
        const Weights * file = &weights;
        weights.check(tensor, width * buckets);
        return weights.derived(GGML_TYPE_F32, width, buckets, [=] { return file->values(tensor, width * buckets); });
    };
    if (description.embedded) {
        embedding_ = table("cond_embed");
    } else {
        scale_ = table("scale_embed");
        bias_ = table("bias_embed");
    }
    if (description.snake) snake_.emplace(weights, *description.snake);
    if (description.out) out_.emplace(weights, *description.out);
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

VaeDecoder::VaeDecoder(Weights & weights, VaeDecoderDescription description) : description_(std::move(description)) {
    for (const ConvDescription & conv : description_.first) first_.emplace_back(weights, conv);
    for (const auto & described : description_.blocks) {
        Block & block = blocks_.emplace_back();
        if (described.condition) block.condition.emplace(weights, *described.condition);
        block.snake.emplace(weights, described.snake);
        block.upsample.emplace(weights, described.upsample);
        for (const ResidualUnitDescription & unit : described.units) block.units.emplace_back(weights, unit);
    }
    snake_.emplace(weights, description_.snake);
    last_.emplace(weights, description_.last);
}

ggml_tensor * VaeDecoder::build(Graph & graph, const Streams & streams, ggml_tensor * latents, int sample_rate) const {
    const int bucket = description_.bucket_of(sample_rate);
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
