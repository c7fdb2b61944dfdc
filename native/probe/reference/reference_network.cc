#include "probe/reference/reference_network.h"

#include <algorithm>
#include <cmath>

namespace svc::reference {
namespace {

// Reads all weights.
struct Loader {
    const GgufFile & file;

    Row values(const std::string & name, int64_t count) const {
        const TensorInfo * tensor = file.find(name);
        if (!tensor) file.refuse("tensor \"", name, "\" is missing");
        if (tensor->count() != count)
            file.refuse("tensor \"", name, "\" has ", tensor->count(), " values, expected ", count);
        return read_values(file, name);
    }
    Matrix matrix(const MatrixName & name) const {
        return {{name.name}, {name.out}, name.in, name.out, values(name.name + ".weight", name.in * name.out)};
    }
    Matrix fused(const std::vector<MatrixName> & parts, Arrangement) const {
        Matrix all;
        for (const MatrixName & name : parts) {
            const Matrix part = matrix(name);
            all.names.push_back(name.name);
            all.parts.push_back(part.out);
            all.in = part.in;
            all.out += part.out;
            all.values.insert(all.values.end(), part.values.begin(), part.values.end());
        }
        return all;
    }
    Matrix table(const MatrixName & name) const { return matrix(name); }
    Row vector(const std::string & name, int64_t count) const { return values(name, count); }
};

double silu(double x) { return x / (1 + std::exp(-x)); }

double dot(const double * a, const double * b, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

Row normed(const Row & x, const Row & weight, double eps) {
    const double factor =
        1 / std::sqrt(dot(x.data(), x.data(), static_cast<int64_t>(x.size())) / static_cast<double>(x.size()) + eps);
    Row result(x.size());
    for (size_t i = 0; i < x.size(); i++) result[i] = x[i] * factor * weight[i];
    return result;
}

Row part(const Row & row, size_t first, size_t count) { return Row(row.begin() + first, row.begin() + first + count); }

Row plus(Row a, const Row & b, double factor = 1) {
    for (size_t i = 0; i < a.size(); i++) a[i] += factor * b[i];
    return a;
}

// Weights of cells [first, first + count) for a query.
Row attention(const double * query, const Rows & keys, size_t offset, int64_t width, int first, int count) {
    Row weights(count);
    double peak = -INFINITY, sum = 0;
    for (int i = 0; i < count; i++) {
        weights[i] = dot(query, keys[first + i].data() + offset, width) / std::sqrt(static_cast<double>(width));
        peak = std::max(peak, weights[i]);
    }
    for (double & weight : weights) sum += weight = std::exp(weight - peak);
    for (double & weight : weights) weight /= sum;
    return weights;
}

// The index of the largest weight, moved to the center of mass of it and its neighbors.
float peak_of(const Row & weights) {
    const auto peak = static_cast<int>(std::max_element(weights.begin(), weights.end()) - weights.begin());
    double sum = 0, moment = 0;
    for (int i = std::max(peak - 1, 0); i <= peak + 1 && i < static_cast<int>(weights.size()); i++) {
        sum += weights[i];
        moment += weights[i] * (i - peak);
    }
    return static_cast<float>(peak + (sum > 0 ? moment / sum : 0));
}

} // namespace

Row read_values(const GgufFile & file, const std::string & name) {
    const TensorInfo & tensor = *file.find(name);
    std::vector<char> bytes(tensor.bytes());
    if (!file.read(tensor, 0, bytes.size(), bytes.data())) file.refuse_changed();
    std::vector<float> values(tensor.count());
    if (!widen(tensor.type, bytes.data(), tensor.count(), values.data()))
        file.refuse("the reference executor can't read tensor \"", name, "\" of type ", traits_of(tensor.type)->name);
    return Row(values.begin(), values.end());
}

Network::Network(const Config & config, const GgufFile & file)
    : config(config), weights([&] {
          Loader loader{file};
          return load_network(config, loader);
      }()),
      rotation_(config.rope, config.base_lm.head_dim) {}

Row Network::product(const Matrix & weight, const Row & x, const Row & bias, const AdapterUse & use) const {
    Row y(weight.out);
    for (int64_t row = 0; row < weight.out; row++)
        y[row] = dot(weight.values.data() + row * weight.in, x.data(), weight.in);
    if (!bias.empty()) y = plus(std::move(y), bias);
    if (!use.adapter) return y;
    const auto & updates = static_cast<const Adapter &>(*use.adapter).updates;
    int64_t first = 0;
    for (size_t i = 0; i < weight.names.size(); first += weight.parts[i++]) {
        const auto found = updates.find(weight.names[i]);
        if (found == updates.end()) continue;
        const auto & [rank, a, b] = found->second;
        Row low(rank);
        for (int r = 0; r < rank; r++) low[r] = dot(a.data() + r * weight.in, x.data(), weight.in);
        for (int64_t row = 0; row < weight.parts[i]; row++)
            y[first + row] += use.weight * dot(b.data() + row * rank, low.data(), rank);
    }
    return y;
}

Row Network::linear(const Linear & linear, const Row & x, const AdapterUse & use) const {
    return product(linear.weight, x, linear.bias, use);
}

Row Network::token(int32_t id) const {
    Row row = part(weights.tokens.values, static_cast<size_t>(id) * weights.tokens.in, weights.tokens.in);
    for (double & value : row) value *= config.embedding_scale;
    return row;
}

void Network::rotate(const Stack & stack, double * head, int position) const {
    if (!stack.config.rope) return;
    const int half = stack.config.head_dim / 2;
    std::vector<float> angles(2 * half);
    rotation_.at(position, angles.data());
    for (int i = 0; i < half; i++) {
        const double a = head[i], b = head[i + half], cos = angles[i], sin = angles[half + i];
        head[i] = a * cos - b * sin;
        head[i + half] = b * cos + a * sin;
    }
}

Rows Network::run(
    const Stack & stack, Rows x, Caches & caches, int first, bool causal, const AdapterUse & use, Look * look,
    Taps * taps
) const {
    const TransformerConfig & shape = stack.config;
    const int64_t width = shape.head_dim;
    const size_t queries = static_cast<size_t>(shape.heads * width), keys = static_cast<size_t>(shape.kv_heads * width);
    for (size_t l = 0; l < stack.layers.size(); l++) {
        const auto & layer = stack.layers[l];
        LayerCache & cache = caches[l];
        Rows q;
        for (size_t c = 0; c < x.size(); c++) {
            const Row qkv = product(layer.qkv, normed(x[c], layer.attention_norm, shape.eps), {}, use);
            q.push_back(part(qkv, 0, queries));
            cache.keys.push_back(part(qkv, queries, keys));
            cache.values.push_back(part(qkv, queries + keys, keys));
            const int position = first + static_cast<int>(c);
            for (int head = 0; head < shape.heads; head++) rotate(stack, q.back().data() + head * width, position);
            for (int head = 0; head < shape.kv_heads; head++)
                rotate(stack, cache.keys.back().data() + head * width, position);
        }
        for (size_t c = 0; c < x.size(); c++) {
            const int seen = causal ? first + static_cast<int>(c) + 1 : static_cast<int>(cache.keys.size());
            Row attended(queries);
            for (int head = 0; head < shape.heads; head++) {
                const size_t from = static_cast<size_t>(head / (shape.heads / shape.kv_heads)) * width;
                const double * query = q[c].data() + head * width;
                const Row cells = attention(query, cache.keys, from, width, 0, seen);
                for (int i = 0; i < seen; i++) {
                    for (int64_t k = 0; k < width; k++)
                        attended[head * width + k] += cells[i] * cache.values[i][from + k];
                }
                if (look && c + 1 == x.size())
                    look->peaks.push_back(
                        peak_of(attention(query, cache.keys, from, width, look->cells.first, look->cells.count))
                    );
            }
            x[c] = plus(std::move(x[c]), product(layer.o, attended, {}, use), shape.residual_scale);
            const Row both = product(layer.gate_up, normed(x[c], layer.ffn_norm, shape.eps), {}, {});
            Row inner(shape.ffn);
            for (int i = 0; i < shape.ffn; i++) inner[i] = silu(both[i]) * both[shape.ffn + i];
            x[c] = plus(std::move(x[c]), product(layer.down, inner, {}, {}), shape.residual_scale);
        }
        if (taps) (*taps)["layer" + std::to_string(l) + ".out"] = x;
    }
    for (Row & row : x) row = normed(row, stack.output_norm, shape.eps);
    return x;
}

Rows Network::cached(
    const Stack & stack, Rows x, Caches & caches, const AdapterUse & use, Look * look, Taps * taps
) const {
    const int first = static_cast<int>(caches.front().keys.size());
    return run(stack, std::move(x), caches, first, true, use, look, taps);
}

Rows Network::local(const Stack & stack, Rows x, const AdapterUse & use) const {
    Caches caches(stack.layers.size());
    return run(stack, std::move(x), caches, 0, false, use, nullptr, nullptr);
}

Rows Network::frames(const float * patch) const {
    Rows frames;
    for (int i = 0; i < config.patch_size; i++, patch += config.feature_dim)
        frames.emplace_back(patch, patch + config.feature_dim);
    return frames;
}

Row Network::encode_patch(const float * patch) const {
    Rows x = {weights.special_token};
    for (const Row & frame : frames(patch)) x.push_back(linear(weights.encoder_in, frame, {}));
    return local(weights.local_encoder, std::move(x), {}).front();
}

Row Network::quantize(const Row & x, Taps * taps) const {
    Row levels = linear(weights.fsq_in, x, {});
    for (double & level : levels) level = std::tanh(level);
    if (taps) (*taps)["tanh"].push_back(levels);
    // torch rounds half to even
    for (double & level : levels) level = std::nearbyint(level * config.fsq_scale) / config.fsq_scale;
    if (taps) (*taps)["q"].push_back(levels);
    return linear(weights.fsq_out, levels, {});
}

Row Network::fuse(const Row & hidden, const Row & embedding, const AdapterUse & use) const {
    if (!config.v2) return plus(hidden, embedding);
    Row both = hidden;
    both.insert(both.end(), embedding.begin(), embedding.end());
    return linear(weights.fusion, both, use);
}

Row Network::stop(const Row & hidden) const {
    Row inner = linear(weights.stop_proj, hidden, {});
    for (double & value : inner) value = silu(value);
    return product(weights.stop_head, inner, {}, {});
}

Rows Network::condition(const Row & lm, const Row & residual, const AdapterUse & use) const {
    const Row first = linear(weights.lm_to_dit, lm, use), second = linear(weights.res_to_dit, residual, use);
    return config.v2 ? Rows{first, second} : Rows{plus(first, second)};
}

Row Network::time_embedding(const Linear & first, const Linear & second, float time) const {
    const std::vector<float> waves = time_sinusoids({time}, config.local_dit.hidden);
    Row inner = linear(first, Row(waves.begin(), waves.end()), {});
    for (double & value : inner) value = silu(value);
    return linear(second, inner, {});
}

Rows Network::velocity(
    const Rows & x, const Rows & mu, const Row & time, const Rows & cond, const AdapterUse & use
) const {
    // model 1 adds the time to its single mu token, model 2 has a separate token for it
    Rows tokens = mu;
    if (config.v2) tokens.push_back(time);
    else tokens.front() = plus(tokens.front(), time);
    for (const Row & frame : cond) tokens.push_back(linear(weights.dit_cond, frame, {}));
    for (const Row & frame : x) tokens.push_back(linear(weights.dit_in, frame, {}));
    const Rows hidden = local(weights.local_dit, std::move(tokens), use);
    Rows result;
    for (size_t i = hidden.size() - x.size(); i < hidden.size(); i++)
        result.push_back(linear(weights.dit_out, hidden[i], {}));
    return result;
}

Rows Network::flow(
    const FlowSchedule & schedule, Rows x, const Rows & mu, const Rows & cond, float cfg, const AdapterUse & use,
    std::vector<Rows> * trajectory
) const {
    const Rows none(mu.size(), Row(mu.front().size()));
    for (const FlowSchedule::Call & call : schedule.calls(config.mean_mode)) {
        if (trajectory) trajectory->push_back(x);
        const Row time = plus(
            time_embedding(weights.time_1, weights.time_2, call.time),
            time_embedding(weights.delta_1, weights.delta_2, call.delta)
        );
        const Rows with = velocity(x, mu, time, cond, use), without = velocity(x, none, time, cond, use);
        double product = 0, square = 1e-8;
        for (size_t i = 0; i < x.size(); i++) {
            product += dot(with[i].data(), without[i].data(), config.feature_dim);
            square += dot(without[i].data(), without[i].data(), config.feature_dim);
        }
        const double scale = schedule.zero_star ? product / square : 1;
        for (size_t i = 0; i < x.size(); i++) {
            for (int k = 0; k < config.feature_dim; k++) {
                const double base = without[i][k] * scale;
                x[i][k] -= call.step * (base + (with[i][k] - base) * cfg);
            }
        }
    }
    return x;
}

} // namespace svc::reference
