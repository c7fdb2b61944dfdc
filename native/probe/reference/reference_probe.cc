// Stages of the reference executor with their intermediates; see tests/golden/stages.ts.
#include <algorithm>

#include "probe/reference/reference_executor.h"
#include "runtime/error.h"

namespace svc::reference {
namespace {

Array to_array(const Rows & rows, std::vector<int64_t> shape = {}) {
    Array array{.shape = std::move(shape)};
    if (array.shape.empty())
        array.shape = {static_cast<int64_t>(rows.size()), static_cast<int64_t>(rows.front().size())};
    for (const Row & row : rows) array.floats.insert(array.floats.end(), row.begin(), row.end());
    return array;
}

class Prober {
public:
    Prober(const ReferenceExecutor & executor, const Arrays & inputs, const Parameters & parameters)
        : executor_(executor), network_(executor.network()), config_(executor.config()), inputs_(inputs),
          parameters_(parameters) {}

    Arrays run(const std::string & stage) {
        const Weights & weights = network_.weights;
        if (stage == "baseLm") return cached(weights.base_lm);
        if (stage == "residualLm") return cached(weights.residual_lm);
        if (stage == "prefill") return prefill();
        if (stage == "localEncoder") return encode_patches();
        if (stage == "fsq") return fsq();
        if (stage == "localDit") return local_dit();
        if (stage == "flow") return flow();
        if (stage == "vaeEncoder") return vae_encoder();
        if (stage == "vaeDecoder") return vae_decoder();
        if (stage == "embed") return {{"out", to_array(tokens(need("ids").integers))}};
        if (stage == "stop")
            return {{"logits", each("in", config_.base_lm.hidden, [&](const Row & x) { return network_.stop(x); })}};
        if (stage == "fusion" && config_.v2)
            return {{"out", each("in", 2 * config_.base_lm.hidden, [&](const Row & x) {
                         return network_.linear(weights.fusion, x, {});
                     })}};
        fail("INVALID_REQUEST", "unknown stage \"", stage, "\"");
    }

private:
    const Array & need(const std::string & name) const {
        const auto found = inputs_.find(name);
        if (found == inputs_.end()) fail("INVALID_REQUEST", "input ", name, " is missing");
        return found->second;
    }
    double parameter(const std::string & name, double fallback) const {
        const auto found = parameters_.find(name);
        return found == parameters_.end() ? fallback : found->second;
    }
    Rows rows(const std::string & name, size_t width) const {
        const std::vector<float> & values = need(name).floats;
        if (values.empty() || values.size() % width != 0)
            fail("INVALID_REQUEST", name, " must have a multiple of ", width, " values, got ", values.size());
        Rows rows;
        for (size_t i = 0; i < values.size(); i += width)
            rows.emplace_back(values.begin() + i, values.begin() + i + width);
        return rows;
    }
    template <typename Compute>
    Array each(const std::string & name, size_t width, const Compute & compute) const {
        Rows results;
        for (const Row & x : rows(name, width)) results.push_back(compute(x));
        return to_array(results);
    }
    Rows tokens(const std::vector<int32_t> & ids) const {
        Rows rows;
        for (int32_t id : ids) {
            if (id < 0 || id >= config_.vocab)
                fail("INVALID_REQUEST", "tokens must be from 0 to ", config_.vocab - 1, ", got ", id);
            rows.push_back(network_.token(id));
        }
        return rows;
    }

    // [positions][kv_heads · head_dim] as [kv_heads, positions, head_dim]
    static Array heads_first(const Rows & rows, const TransformerConfig & config) {
        Array array{.shape = {config.kv_heads, static_cast<int64_t>(rows.size()), config.head_dim}};
        for (int head = 0; head < config.kv_heads; head++) {
            for (const Row & row : rows) {
                const auto begin = row.begin() + static_cast<int64_t>(head) * config.head_dim;
                array.floats.insert(array.floats.end(), begin, begin + config.head_dim);
            }
        }
        return array;
    }

    Arrays cached(const Stack & stack) const {
        const size_t hidden = config_.base_lm.hidden;
        Caches caches(stack.layers.size());
        Taps taps;
        Arrays results{{"out", to_array(network_.cached(stack, rows("prefill", hidden), caches, {}, nullptr, &taps))}};
        for (const auto & [name, tapped] : taps) results[name] = to_array(tapped);
        for (size_t i = 0; i < caches.size(); i++) {
            results["k" + std::to_string(i)] = heads_first(caches[i].keys, stack.config);
            results["v" + std::to_string(i)] = heads_first(caches[i].values, stack.config);
        }
        Rows stepped;
        if (inputs_.count("steps")) {
            for (const Row & x : rows("steps", hidden))
                stepped.push_back(network_.cached(stack, {x}, caches, {}).front());
        }
        results["step_out"] = to_array(stepped, {static_cast<int64_t>(stepped.size()), static_cast<int64_t>(hidden)});
        return results;
    }

    Arrays prefill() const {
        const std::vector<int32_t> & audio = need("audioMask").integers;
        Rows x = tokens(need("tokens").integers);
        if (x.size() != audio.size()) fail("INVALID_REQUEST", "audioMask must have one value per token");
        const float * patch = inputs_.count("features") ? need("features").floats.data() : nullptr;
        for (size_t i = 0; i < audio.size(); i++) {
            if (audio[i] == 0) continue;
            x[i] = executor_.embed_patch(patch, {});
            patch += config_.patch_values();
        }
        Caches caches(config_.base_lm.layers);
        return {
            {"embeds", to_array(x)}, {"base_out", to_array(network_.cached(network_.weights.base_lm, x, caches, {}))}
        };
    }

    Arrays encode_patches() const {
        Rows encoded, projected;
        const std::vector<float> & patches = need("patches").floats;
        for (size_t first = 0; first < patches.size(); first += config_.patch_values()) {
            encoded.push_back(network_.encode_patch(patches.data() + first));
            projected.push_back(network_.linear(network_.weights.enc_to_lm, encoded.back(), {}));
        }
        return {{"out", to_array(encoded)}, {"proj_out", to_array(projected)}};
    }

    Arrays fsq() const {
        Taps taps;
        Arrays results{
            {"out", each("in", config_.base_lm.hidden, [&](const Row & x) { return network_.quantize(x, &taps); })}
        };
        for (const auto & [name, tapped] : taps) results[name] = to_array(tapped);
        return results;
    }

    Arrays local_dit() const {
        const std::vector<float> &times = need("t").floats, &deltas = need("dt").floats;
        const int hidden = config_.local_dit.hidden;
        const Rows mu = rows("mu", hidden), x = rows("x", config_.feature_dim),
                   cond = rows("cond", config_.feature_dim);
        Rows waves, time_rows, delta_rows, velocities;
        const auto of = [](const Rows & all, size_t i, size_t count) {
            return Rows(all.begin() + i * count, all.begin() + (i + 1) * count);
        };
        for (size_t i = 0; i < times.size(); i++) {
            const std::vector<float> wave = time_sinusoids({times[i]}, hidden);
            waves.emplace_back(wave.begin(), wave.end());
            time_rows.push_back(network_.time_embedding(network_.weights.time_1, network_.weights.time_2, times[i]));
            delta_rows.push_back(
                network_.time_embedding(network_.weights.delta_1, network_.weights.delta_2, deltas[i])
            );
            Row time = time_rows.back();
            for (size_t k = 0; k < time.size(); k++) time[k] += delta_rows.back()[k];
            const Rows velocity = network_.velocity(
                of(x, i, config_.patch_size), of(mu, i, config_.mu_tokens()), time, of(cond, i, config_.patch_size), {}
            );
            velocities.insert(velocities.end(), velocity.begin(), velocity.end());
        }
        return {
            {"t_emb", to_array(waves)},
            {"t_mlp", to_array(time_rows)},
            {"dt_mlp", to_array(delta_rows)},
            {"out", to_array(velocities)}
        };
    }

    Arrays flow() const {
        FlowSchedule schedule;
        schedule.timesteps = static_cast<int>(std::clamp(parameter("timesteps", 10), 1.0, 1000.0));
        schedule.sway = static_cast<float>(parameter("sway", 1));
        schedule.zero_star = parameter("zeroStar", 1) != 0;
        std::vector<Rows> trajectory;
        const Rows out = network_.flow(
            schedule, rows("z", config_.feature_dim), rows("mu", config_.local_dit.hidden),
            rows("cond", config_.feature_dim), static_cast<float>(parameter("cfg", 2)), {}, &trajectory
        );
        Arrays results{{"out", to_array(out)}};
        Array &xs = results["traj.x"], &times = results["traj.t"], &deltas = results["traj.dt"];
        const auto calls = schedule.calls(config_.mean_mode);
        times.shape = deltas.shape = {static_cast<int64_t>(calls.size())};
        xs.shape = {static_cast<int64_t>(calls.size()), config_.patch_size, config_.feature_dim};
        for (size_t i = 0; i < calls.size(); i++) {
            times.floats.push_back(calls[i].time);
            deltas.floats.push_back(calls[i].delta);
            const Array x = to_array(trajectory[i]);
            xs.floats.insert(xs.floats.end(), x.floats.begin(), x.floats.end());
        }
        return results;
    }

    Arrays vae_encoder() const {
        const std::vector<float> & samples = need("samples").floats;
        const size_t hop = config_.vae.encode_hop();
        Row padded(samples.begin(), samples.end());
        padded.resize((padded.size() + hop - 1) / hop * hop);
        VaeState state = executor_.vae().encoder_state();
        Taps taps;
        Arrays results{{"mu", to_array(executor_.vae().encode(padded, state, &taps))}};
        for (const auto & [name, tapped] : taps) results[name] = to_array(tapped);
        return results;
    }

    Arrays vae_decoder() const {
        const int rate = static_cast<int>(std::clamp(parameter("sampleRate", config_.vae.out_sample_rate), 0.0, 1e9));
        VaeState state = executor_.vae().decoder_state();
        Taps taps;
        const Row samples = executor_.vae().decode(rows("latents", config_.feature_dim), state, rate, &taps);
        Arrays results{{"wav", to_array({samples}, {static_cast<int64_t>(samples.size())})}};
        for (const auto & [name, tapped] : taps) results[name] = to_array(tapped);
        return results;
    }

    const ReferenceExecutor & executor_;
    const Network & network_;
    const Config & config_;
    const Arrays & inputs_;
    const Parameters & parameters_;
};

} // namespace

Arrays ReferenceExecutor::probe(const std::string & stage, const Arrays & inputs, const Parameters & parameters) {
    return Prober(*this, inputs, parameters).run(stage);
}

} // namespace svc::reference
