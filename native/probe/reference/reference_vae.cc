#include "probe/reference/reference_vae.h"

#include <cmath>

namespace svc::reference {

Vae::Vae(const Config & config, const GgufFile & file)
    : decoder_(describe_vae_decoder(config, file)), encoder_(describe_vae_encoder(config, file)) {
    for (const ConvDescription & conv : decoder_.first) read(file, conv);
    for (const auto & block : decoder_.blocks) {
        if (block.condition) read(file, *block.condition);
        read(file, block.snake);
        read(file, block.upsample.name + ".weight", block.upsample.weights());
        read(file, block.upsample.name + ".bias", block.upsample.out);
        for (const ResidualUnitDescription & unit : block.units) read(file, unit);
    }
    read(file, decoder_.snake);
    read(file, decoder_.last);
    read(file, encoder_.first);
    for (const auto & block : encoder_.blocks) {
        for (const ResidualUnitDescription & unit : block.units) read(file, unit);
        read(file, block.snake);
        read(file, block.downsample);
    }
    read(file, encoder_.mu);
}

void Vae::read(const GgufFile & file, const std::string & name, int64_t count) {
    const TensorInfo * tensor = file.find(name);
    if (!tensor || tensor->count() != count) file.refuse("tensor \"", name, "\" must have ", count, " values");
    values_[name] = read_values(file, name);
}

void Vae::read(const GgufFile & file, const ConvDescription & conv) {
    read(file, conv.name + ".weight", conv.weights());
    read(file, conv.name + ".bias", conv.out);
}

void Vae::read(const GgufFile & file, const SnakeDescription & snake) {
    read(file, snake.name + ".alpha", snake.channels);
}

void Vae::read(const GgufFile & file, const ResidualUnitDescription & unit) {
    read(file, unit.first);
    read(file, unit.dilated);
    read(file, unit.second);
    read(file, unit.pointwise);
}

void Vae::read(const GgufFile & file, const RateConditionDescription & condition) {
    const int64_t count = condition.width * condition.buckets;
    if (condition.embedded) {
        read(file, condition.name + ".cond_embed.weight", count);
    } else {
        read(file, condition.name + ".scale_embed.weight", count);
        read(file, condition.name + ".bias_embed.weight", count);
    }
    if (condition.snake) read(file, *condition.snake);
    if (condition.out) read(file, *condition.out);
}

VaeState Vae::zeros(const std::vector<CarriedFrames> & shapes) {
    VaeState state;
    for (const CarriedFrames & shape : shapes) state.emplace_back(shape.frames, Row(shape.channels));
    return state;
}

Rows Vae::conv(const ConvDescription & conv, const Rows & x, VaeState & state) const {
    const Row &weight = values(conv.name + ".weight"), &bias = values(conv.name + ".bias");
    Rows all;
    if (conv.state >= 0) all = state[conv.state];
    all.insert(all.end(), x.begin(), x.end());
    if (conv.state >= 0) state[conv.state] = Rows(all.end() - conv.padding, all.end());
    const int64_t inputs = conv.depthwise ? 1 : conv.in;
    Rows result(x.size() / conv.stride, bias);
    for (size_t t = 0; t < result.size(); t++) {
        for (int64_t out = 0; out < conv.out; out++) {
            double sum = 0;
            for (int64_t in = 0; in < inputs; in++) {
                for (int k = 0; k < conv.kernel; k++)
                    sum += weight[(out * inputs + in) * conv.kernel + k] *
                        all[t * conv.stride + k * conv.dilation][conv.depthwise ? out : in];
            }
            result[t][out] += sum;
        }
    }
    return result;
}

Rows Vae::upsample(const UpsampleDescription & upsample, const Rows & x, VaeState & state) const {
    const Row &weight = values(upsample.name + ".weight"), &bias = values(upsample.name + ".bias");
    const int64_t kernel = 2 * upsample.stride;
    Rows result;
    for (const Row & frame : x) {
        Row & before = state[upsample.state].front();
        for (int j = 0; j < upsample.stride; j++) {
            Row & made = result.emplace_back(bias);
            for (int64_t in = 0; in < upsample.in; in++) {
                for (int64_t out = 0; out < upsample.out; out++) {
                    const double * taps = weight.data() + (in * upsample.out + out) * kernel + j;
                    made[out] += taps[0] * frame[in] + taps[upsample.stride] * before[in];
                }
            }
        }
        before = frame;
    }
    return result;
}

Rows Vae::snake(const SnakeDescription & snake, Rows x) const {
    const Row & alpha = values(snake.name + ".alpha");
    for (Row & frame : x) {
        for (size_t i = 0; i < frame.size(); i++) {
            const double wave = std::sin(alpha[i] * frame[i]);
            frame[i] += wave * wave / (alpha[i] + 1e-9);
        }
    }
    return x;
}

Rows Vae::unit(const ResidualUnitDescription & unit, const Rows & x, VaeState & state) const {
    const Rows inner = conv(unit.dilated, snake(unit.first, x), state);
    Rows result = conv(unit.pointwise, snake(unit.second, inner), state);
    for (size_t t = 0; t < x.size(); t++) {
        for (size_t i = 0; i < x[t].size(); i++) result[t][i] += x[t][i];
    }
    return result;
}

Rows Vae::condition(const RateConditionDescription & condition, Rows x, VaeState & state, int bucket) const {
    const auto row = [&](const std::string & which) {
        return values(condition.name + "." + which + ".weight").data() + bucket * condition.width;
    };
    const double *embedding = condition.embedded ? row("cond_embed") : nullptr,
                 *scale = condition.embedded ? nullptr : row("scale_embed"),
                 *bias = condition.embedded ? nullptr : row("bias_embed");
    for (Row & frame : x) {
        if (condition.appended) {
            frame.insert(frame.end(), embedding, embedding + condition.width);
            continue;
        }
        for (size_t i = 0; i < frame.size(); i++)
            frame[i] = embedding ? frame[i] + embedding[i] : frame[i] * scale[i] + bias[i];
    }
    return condition.out ? conv(*condition.out, snake(*condition.snake, std::move(x)), state) : x;
}

Row Vae::decode(Rows x, VaeState & state, int sample_rate, Taps * taps) const {
    int index = 0;
    const auto tap = [&] {
        if (taps) (*taps)["mod" + std::to_string(index++)] = x;
    };
    for (const ConvDescription & first : decoder_.first) {
        x = conv(first, x, state);
        tap();
    }
    for (const auto & block : decoder_.blocks) {
        if (block.condition) x = condition(*block.condition, std::move(x), state, decoder_.bucket_of(sample_rate));
        x = upsample(block.upsample, snake(block.snake, std::move(x)), state);
        for (const ResidualUnitDescription & each : block.units) x = unit(each, x, state);
        tap();
    }
    x = snake(decoder_.snake, std::move(x));
    tap();
    x = conv(decoder_.last, x, state);
    tap();
    Row samples;
    for (const Row & frame : x) samples.push_back(std::tanh(frame.front()));
    return samples;
}

Rows Vae::encode(const Row & samples, VaeState & state, Taps * taps) const {
    Rows x;
    for (const double sample : samples) x.push_back({sample});
    x = conv(encoder_.first, x, state);
    if (taps) (*taps)["block0"] = x;
    for (size_t i = 0; i < encoder_.blocks.size(); i++) {
        const auto & block = encoder_.blocks[i];
        for (const ResidualUnitDescription & each : block.units) x = unit(each, x, state);
        x = conv(block.downsample, snake(block.snake, std::move(x)), state);
        if (taps) (*taps)["block" + std::to_string(i + 1)] = x;
    }
    return conv(encoder_.mu, x, state);
}

} // namespace svc::reference
