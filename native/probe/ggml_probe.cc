// Runs single stages of the ggml executor with their intermediates, to compare them with reference tensors.
#include "ggml-executor/ggml_executor.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "ggml-executor/stages/attention_mask.h"
#include "runtime/error.h"

namespace svc {
namespace {

constexpr size_t probe_nodes = 16384;
// Maximum number of positions, frames or patches of a probe.
constexpr int max_count = 1 << 16;

const Array & need(const Arrays & inputs, const std::string & name) {
    const auto found = inputs.find(name);
    if (found == inputs.end()) fail("INVALID_REQUEST", "input ", name, " is missing");
    return found->second;
}

// Shape outermost first, without the dimensions of 1 that ggml appends.
Array read(const Graph & graph, const ggml_tensor * tensor) {
    Array array;
    for (int i = ggml_n_dims(tensor) - 1; i >= 0; i--) array.shape.push_back(tensor->ne[i]);
    array.floats = graph.get(tensor);
    return array;
}

std::vector<int32_t> count_from(int first, int64_t count) {
    std::vector<int32_t> values(count);
    std::iota(values.begin(), values.end(), first);
    return values;
}

} // namespace

class Prober {
public:
    Prober(GgmlExecutor & executor, const Arrays & inputs, const Parameters & parameters)
        : executor_(executor), config_(executor.config_), network_(executor.network_), inputs_(inputs),
          parameters_(parameters),
          // without taps, our kernels compute all of flow matching as one operation
          graph_(executor.compute_, probe_nodes, parameter("taps", 1) != 0 ? Graph::Taps::on : Graph::Taps::off) {}

    Arrays run(const std::string & stage) {
        if (stage == "baseLm") return cached(network_.base_lm, Which::base);
        if (stage == "residualLm") return cached(network_.residual_lm, Which::residual);
        if (stage == "prefill") return prefill();
        if (stage == "flow") return flow();
        if (stage == "vaeEncoder") return vae_encoder();
        if (stage == "vaeDecoder") return vae_decoder();
        if (stage == "embed") {
            return embed();
        } else if (stage == "localEncoder") {
            ggml_tensor * encoded =
                network_.local_encoder.build(graph_, patches("patches"), constant(network_.local_encoder.positions()));
            output("out", encoded);
            output("proj_out", network_.enc_to_lm.build(graph_, encoded));
        } else if (stage == "fsq") {
            output("out", network_.fsq.build(graph_, columns("in", config_.base_lm.hidden)));
        } else if (stage == "stop") {
            output("logits", network_.stop_head.build(graph_, columns("in", config_.base_lm.hidden)));
        } else if (stage == "fusion" && config_.v2) {
            output("out", network_.fusion.build(graph_, columns("in", 2 * config_.base_lm.hidden)));
        } else if (stage == "localDit") {
            local_dit();
        } else {
            fail("INVALID_REQUEST", "unknown stage \"", stage, "\"");
        }
        return finish();
    }

private:
    enum class Which { base, residual };

    ggml_tensor * given(const std::string & name, int64_t ne0, int64_t ne1 = 1, int64_t ne2 = 1) {
        const Array & array = need(inputs_, name);
        if (static_cast<int64_t>(array.floats.size()) != ne0 * ne1 * ne2)
            fail("INVALID_REQUEST", name, " must have ", ne0 * ne1 * ne2, " values, got ", array.floats.size());
        ggml_tensor * tensor = graph_.input(GGML_TYPE_F32, ne0, ne1, ne2);
        settings_.push_back([this, tensor, &array] { graph_.set(tensor, array.floats); });
        return tensor;
    }
    const std::vector<int32_t> & given_ids(const std::string & name) {
        const Array & array = need(inputs_, name);
        if (array.integers.empty()) fail("INVALID_REQUEST", name, " must not be empty");
        for (int32_t id : array.integers) {
            if (id < 0 || id >= config_.vocab)
                fail("INVALID_REQUEST", "tokens must be from 0 to ", config_.vocab - 1, ", got ", id);
        }
        return array.integers;
    }
    Arrays embed() {
        const std::vector<int32_t> & ids = given_ids("ids");
        return {{"out", columns_of(network_.inputs(ids, {}, {}))}};
    }
    // Hidden states of the base LM.
    Array columns_of(std::vector<float> values) const {
        const int64_t width = config_.base_lm.hidden;
        return {{static_cast<int64_t>(values.size()) / width, width}, std::move(values), {}};
    }
    ggml_tensor * columns(const std::string & name, int64_t width) { return given(name, width, count(name, width)); }
    ggml_tensor * patches(const std::string & name) {
        return given(name, config_.feature_dim, config_.patch_size, count(name, config_.patch_values()));
    }
    // The number of groups of `width` values in an input.
    int64_t count(const std::string & name, int64_t width) {
        const int64_t values = static_cast<int64_t>(need(inputs_, name).floats.size());
        if (values == 0 || values % width != 0 || values / width > max_count) {
            fail("INVALID_REQUEST", name, " must have 1 to ", max_count, " times ", width, " values, got ", values);
        }
        return values / width;
    }
    void require_count(const std::string & name, int64_t width, int64_t expected) {
        if (count(name, width) != expected)
            fail(
                "INVALID_REQUEST", name, " must have ", expected, " times ", width, " values, got ", count(name, width),
                " times"
            );
    }
    template <typename Value>
    ggml_tensor * constant(const std::vector<Value> & values, int64_t ne0 = 0, int64_t ne1 = 1) {
        const ggml_type type = std::is_same_v<Value, float> ? GGML_TYPE_F32
            : std::is_same_v<Value, int32_t>                ? GGML_TYPE_I32
            : std::is_same_v<Value, int64_t>                ? GGML_TYPE_I64
                                                            : GGML_TYPE_F16;
        ggml_tensor * tensor = graph_.input(type, ne0 > 0 ? ne0 : static_cast<int64_t>(values.size()), ne1);
        settings_.push_back([this, tensor, values] { graph_.set(tensor, values); });
        return tensor;
    }
    double parameter(const std::string & name, double fallback) const {
        const auto found = parameters_.find(name);
        return found == parameters_.end() ? fallback : found->second;
    }
    void output(const std::string & name, ggml_tensor * tensor) { outputs_.emplace_back(name, graph_.output(tensor)); }

    Arrays finish() {
        graph_.allocate();
        for (const auto & setting : settings_) setting();
        graph_.run();
        Arrays results;
        for (const auto & [name, tensor] : graph_.taps()) results[name] = read(graph_, tensor);
        for (const auto & [name, tensor] : outputs_) results[name] = read(graph_, tensor);
        return results;
    }

    // Runs positions [first, first + count) through one of the language models; returns their hidden states.
    ggml_tensor * cached_pass(
        const Transformer & stack, const KvLayer * layers, ggml_tensor * x, int first, int count
    ) {
        const int kv_length = first + count;
        const std::vector<int32_t> positions = count_from(first, count);
        passes_.push_back(std::make_unique<CachedPass>());
        CachedPass & pass = *passes_.back();
        pass.segments.push_back({
            .layers = layers,
            .columns = count,
            .kv_length = kv_length,
            .rows = constant(std::vector<int64_t>(positions.begin(), positions.end())),
            .mask = constant(causal_mask(kv_length, first, count), kv_length, count),
        });
        pass.runs.add({}, count);
        return stack.build_cached(graph_, x, constant(positions), pass);
    }

    Arrays cached(const Transformer & stack, Which which) {
        const int hidden = config_.base_lm.hidden;
        const int count = static_cast<int>(this->count("prefill", hidden));
        const int steps = inputs_.count("steps") ? static_cast<int>(this->count("steps", hidden)) : 0;
        KvCache cache(config_, executor_.compute_);
        cache.reserve(count + steps, 0);
        const KvLayer * layers = which == Which::base ? cache.base_lm() : cache.residual_lm();
        output("out", cached_pass(stack, layers, columns("prefill", hidden), 0, count));
        Arrays results = finish();
        for (int i = 0; i < stack.config().layers; i++) {
            results["k" + std::to_string(i)] = heads_first(cache.keys(layers[i], count), count);
            results["v" + std::to_string(i)] = heads_first(cache.values(layers[i], count), count);
        }
        Array & stepped = results["step_out"];
        stepped.shape = {steps, hidden};
        for (int i = 0; i < steps; i++) {
            Prober one(executor_, inputs_, parameters_);
            const std::vector<float> & all = need(inputs_, "steps").floats;
            ggml_tensor * x = one.constant(
                std::vector<float>(
                    all.begin() + static_cast<size_t>(i) * hidden, all.begin() + static_cast<size_t>(i + 1) * hidden
                ),
                hidden
            );
            one.output("out", one.cached_pass(stack, layers, x, count + i, 1));
            const std::vector<float> out = one.finish().at("out").floats;
            stepped.floats.insert(stepped.floats.end(), out.begin(), out.end());
        }
        return results;
    }

    // Cache rows [head_dim · kv_heads, positions] as [kv_heads, positions, head_dim].
    Array heads_first(const std::vector<float> & values, int count) const {
        const int kv_heads = config_.base_lm.kv_heads, head_dim = config_.base_lm.head_dim;
        Array array{{kv_heads, count, head_dim}, std::vector<float>(values.size()), {}};
        for (int head = 0; head < kv_heads; head++) {
            for (int position = 0; position < count; position++) {
                std::copy_n(
                    values.begin() + (static_cast<size_t>(position) * kv_heads + head) * head_dim, head_dim,
                    array.floats.begin() + (static_cast<size_t>(head) * count + position) * head_dim
                );
            }
        }
        return array;
    }

    Arrays prefill() {
        const std::vector<int32_t> & audio = need(inputs_, "audioMask").integers;
        const int n = static_cast<int>(audio.size());
        const int64_t marked = std::count(audio.begin(), audio.end(), 1);
        if (n < 1 || n > max_count || marked + std::count(audio.begin(), audio.end(), 0) != n ||
            need(inputs_, "tokens").integers.size() != audio.size()) {
            fail(
                "INVALID_REQUEST", "audioMask must have 0 or 1 for each of 1 to ", max_count, " tokens, got ", n,
                " tokens"
            );
        }
        if (marked > 0) require_count("features", config_.patch_values(), marked);
        KvCache cache(config_, executor_.compute_);
        cache.reserve(n, 0);
        std::vector<float> embedded;
        if (marked > 0) embedded = executor_.embed(need(inputs_, "features").floats, {});
        const std::vector<float> inputs =
            network_.inputs(given_ids("tokens"), std::vector<uint8_t>(audio.begin(), audio.end()), embedded);
        ggml_tensor * embeddings = constant(inputs, config_.base_lm.hidden, n);
        output("base_out", cached_pass(network_.base_lm, cache.base_lm(), embeddings, 0, n));
        Arrays results = finish();
        results["embeds"] = columns_of(inputs);
        return results;
    }

    void local_dit() {
        const std::vector<float> & times = need(inputs_, "t").floats;
        const std::vector<float> & deltas = need(inputs_, "dt").floats;
        const int64_t n = count("t", 1), width = config_.local_dit.hidden;
        require_count("dt", 1, n);
        require_count("x", config_.patch_values(), n);
        require_count("cond", config_.patch_values(), n);
        ggml_context * c = graph_.context();
        ggml_tensor * embedding = constant(time_sinusoids(times, config_.local_dit.hidden), width, n);
        ggml_tensor * time = network_.local_dit.time_mlp(graph_, embedding);
        ggml_tensor * delta = network_.local_dit.delta_time_mlp(
            graph_, constant(time_sinusoids(deltas, config_.local_dit.hidden), width, n)
        );
        output("t_emb", ggml_cont(c, embedding));
        output("t_mlp", time);
        output("dt_mlp", delta);
        ggml_tensor * mu = given("mu", width, config_.mu_tokens(), n);
        ggml_tensor * cond = network_.local_dit.project_cond(graph_, patches("cond"));
        output(
            "out",
            network_.local_dit.build(
                graph_, patches("x"), mu, ggml_reshape_3d(c, ggml_add(c, time, delta), width, 1, n), cond,
                constant(network_.flow.positions())
            )
        );
    }

    Arrays flow() {
        FlowSchedule schedule;
        schedule.timesteps = static_cast<int>(std::clamp(parameter("timesteps", 10), 1.0, 1000.0));
        // the graph contains every call of the estimator
        if (schedule.timesteps * (static_cast<size_t>(config_.local_dit.layers) * 48 + 64) > probe_nodes)
            fail("INVALID_REQUEST", "too many timesteps for a probe: ", schedule.timesteps);
        schedule.sway = static_cast<float>(parameter("sway", 1));
        schedule.zero_star = parameter("zeroStar", 1) != 0;
        require_count("z", config_.patch_values(), 1);
        require_count("cond", config_.patch_values(), 1);
        const auto constants = network_.flow.prepare(executor_.compute_, schedule);
        ggml_tensor * mu = given("mu", config_.local_dit.hidden, config_.mu_tokens(), 1);
        ggml_tensor * cfg = constant(std::vector<float>{static_cast<float>(parameter("cfg", 2))});
        output(
            "out",
            ggml_cont(
                graph_.context(),
                network_.flow.build(
                    graph_, *constants, patches("z"), mu, patches("cond"), cfg, constant(network_.flow.positions())
                )
            )
        );
        Arrays results = finish();
        const int64_t calls = static_cast<int64_t>(constants->calls.size());
        Array trajectory{.shape = {calls, config_.patch_size, config_.feature_dim}};
        Array times{.shape = {calls}}, deltas{.shape = {calls}};
        for (int64_t i = 0; i < calls; i++) {
            times.floats.push_back(constants->calls[i].time);
            deltas.floats.push_back(constants->calls[i].delta);
            const auto found = results.find("traj.x." + std::to_string(i));
            if (found == results.end()) continue;
            const std::vector<float> & x = found->second.floats;
            trajectory.floats.insert(trajectory.floats.end(), x.begin(), x.end());
            results.erase(found);
        }
        if (graph_.taps_on()) results["traj.x"] = std::move(trajectory);
        results["traj.t"] = std::move(times);
        results["traj.dt"] = std::move(deltas);
        return results;
    }

    Arrays vae_encoder() {
        const VaeEncoder & encoder = executor_.vae_encoder();
        const int64_t hop = config_.vae.encode_hop();
        std::vector<float> samples = need(inputs_, "samples").floats;
        if (samples.empty()) fail("INVALID_REQUEST", "samples must not be empty");
        samples.resize((samples.size() + hop - 1) / hop * hop);
        const VaeState state(encoder.states(), executor_.compute_);
        output("mu", encoder.build(graph_, {&state}, constant(samples, 1, static_cast<int64_t>(samples.size()))));
        return finish();
    }

    Arrays vae_decoder() {
        const VaeState state(network_.vae_decoder.states(), executor_.compute_);
        const int rate = static_cast<int>(std::clamp(parameter("sampleRate", config_.vae.out_sample_rate), 0.0, 1e9));
        output("wav", network_.vae_decoder.build(graph_, {&state}, columns("latents", config_.feature_dim), rate));
        Arrays results = finish();
        Array & wav = results.at("wav");
        wav.shape = {static_cast<int64_t>(wav.floats.size())};
        return results;
    }

    GgmlExecutor & executor_;
    const Config & config_;
    const Network & network_;
    const Arrays & inputs_;
    const Parameters & parameters_;
    Graph graph_;
    std::vector<std::unique_ptr<CachedPass>> passes_;
    std::vector<std::function<void()>> settings_;
    std::vector<std::pair<std::string, ggml_tensor *>> outputs_;
};

namespace {

Arrays probe(GgmlExecutor & executor, const std::string & stage, const Arrays & inputs, const Parameters & parameters) {
    return Prober(executor, inputs, parameters).run(stage);
}

[[maybe_unused]] const bool installed = (GgmlExecutor::prober = probe, true);

} // namespace

} // namespace svc
