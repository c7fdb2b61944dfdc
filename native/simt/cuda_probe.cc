// Runs single stages of the CUDA kernels, to compare them with reference tensors; and makes them an engine that computes on the
// SIMT model, for tests.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "addon/engines.h"
#include "addon/extension.h"
#include "cuda/cuda_executor.h"
#include "simt/simt_device.h"
#include "runtime/error.h"

namespace svc::cuda {
namespace {

const Array & need(const Arrays & inputs, const std::string & name) {
    const auto found = inputs.find(name);
    if (found == inputs.end()) fail("INVALID_REQUEST", "input ", name, " is missing");
    return found->second;
}

} // namespace

class CudaProber {
public:
    CudaProber(CudaExecutor & executor, const Arrays & inputs, const Parameters & parameters)
        : device_(*executor.device_), network_(*executor.network_), config_(executor.config_), file_(executor.file_),
          tensors_(executor.tensors_), inputs_(inputs), parameters_(parameters), queue_(device_.make_queue()),
          arena_(device_), recordings_(static_cast<int32_t>(executor.work().graphs)), copies_(executor.copies_) {}

    Arrays run(const std::string & stage) {
        if (stage == "baseLm") return cached(network_.base_lm);
        if (stage == "residualLm") return cached(network_.residual_lm);
        if (stage == "embed") return embed();
        if (stage == "localEncoder") return local_encoder();
        if (stage == "fsq") return fsq();
        if (stage == "stop") return stop();
        if (stage == "fusion" && config_.v2) return fusion();
        if (stage == "localDit") return local_dit();
        if (stage == "flow") return flow();
        if (stage == "prefill") return prefill();
        if (stage == "vaeEncoder") return encode();
        if (stage == "vaeDecoder") return decode();
        if (stage == "recordings") return {{"count", {{1}, {}, {recordings_}}}, {"copies", {{1}, {}, {copies_}}}};
        fail("INVALID_REQUEST", "unknown stage \"", stage, "\"");
    }

private:
    double parameter(const std::string & name, double fallback) const {
        const auto found = parameters_.find(name);
        return found == parameters_.end() ? fallback : found->second;
    }
    // Rows of `width` values in rows of `stride`, and back.
    float * upload(const std::vector<float> & values, int width, int stride) {
        const size_t rows = values.size() / width;
        std::vector<float> all(rows * stride);
        for (size_t row = 0; row < rows; row++)
            std::copy_n(values.begin() + row * width, width, all.begin() + row * stride);
        return arena_.copy(all);
    }
    Array download(const float * from, int64_t rows, int width, int stride) {
        const std::vector<float> all = read_array(device_, from, static_cast<size_t>(rows) * stride);
        Array array{.shape = {rows, width}};
        for (int64_t row = 0; row < rows; row++)
            array.floats.insert(array.floats.end(), all.begin() + row * stride, all.begin() + row * stride + width);
        return array;
    }
    Launcher::Tap collect(Arrays & results) {
        return [&](const std::string & name, const float * from, int rows, int width, int stride) {
            const Array one = download(from, rows, width, stride);
            Array & all = results[name];
            all.shape = {(all.shape.empty() ? 0 : all.shape[0]) + rows, width};
            all.floats.insert(all.floats.end(), one.floats.begin(), one.floats.end());
        };
    }
    int lm_width() const { return network_.base_lm.shape.width(); }
    int count(const std::string & name, int width) const {
        return static_cast<int>(need(inputs_, name).floats.size()) / width;
    }

    BatchCache cache(int columns, int first, bool stored) {
        std::vector<int> positions(columns);
        std::iota(positions.begin(), positions.end(), first);
        if (!pages_) {
            const StackShape & shape = network_.base_lm.shape;
            const int layers = config_.base_lm.layers + config_.residual_lm.layers;
            most_pages_ = (config_.context_length + 63) / 64 + 1;
            std::vector<uint16_t *> pages;
            for (int i = 0; i < most_pages_; i++)
                pages.push_back(arena_.array<uint16_t>(
                    static_cast<size_t>(layers) * 2 * shape.kv_heads * page_positions * shape.head_padded
                ));
            host_pages_ = pages;
            pages_ = arena_.copy(pages);
        }
        return {
            .pages = {pages_, most_pages_, network_.base_lm.shape.kv_heads},
            .slots = arena_.array<int>(columns),
            .positions = arena_.copy(positions),
            .stored = stored,
        };
    }

    Arrays cached(const Stack & stack) {
        const int hidden = config_.base_lm.hidden, n = count("prefill", hidden),
                  first_layer = &stack == &network_.residual_lm ? config_.base_lm.layers : 0;
        Arrays results;
        LmStage stage(device_, *queue_, network_, n);
        stage.tap(collect(results));
        float * out = arena_.array<float>(static_cast<size_t>(n) * lm_width());
        stage.run_stack(
            stack, upload(need(inputs_, "prefill").floats, hidden, lm_width()), out, cache(n, 0, true), first_layer
        );
        results["out"] = download(out, n, hidden, lm_width());
        for (int i = 0; i < stack.shape.layers; i++) {
            results["k" + std::to_string(i)] = rows(first_layer + i, 0, n);
            results["v" + std::to_string(i)] = rows(first_layer + i, 1, n);
        }
        Array & stepped = results["step_out"];
        const int steps = inputs_.count("steps") ? count("steps", hidden) : 0;
        stepped.shape = {steps, hidden};
        LmStage one(device_, *queue_, network_, 1);
        for (int i = 0; i < steps; i++) {
            const auto from = need(inputs_, "steps").floats.begin() + static_cast<int64_t>(i) * hidden;
            one.run_stack(
                stack, upload(std::vector<float>(from, from + hidden), hidden, lm_width()), out, cache(1, n + i, false),
                first_layer
            );
            const Array row = download(out, 1, hidden, lm_width());
            stepped.floats.insert(stepped.floats.end(), row.floats.begin(), row.floats.end());
        }
        return results;
    }

    // Keys or values as [kv_heads, positions, head_dim].
    Array rows(int layer, int which, int n) {
        const StackShape & shape = network_.base_lm.shape;
        const int wide = shape.head_padded, half = shape.head_dim / 2;
        Array array{.shape = {shape.kv_heads, n, shape.head_dim}};
        for (int head = 0; head < shape.kv_heads; head++) {
            for (int position = 0; position < n; position++) {
                const uint16_t * row = host_pages_[position / page_positions] +
                    ((static_cast<size_t>(layer) * 2 + which) * shape.kv_heads + head) * page_positions * wide +
                    position % page_positions * wide;
                const std::vector<uint16_t> bits = read_array(device_, row, wide);
                for (int i = 0; i < shape.head_dim; i++)
                    array.floats.push_back(float_of_bfloat(bits[i % half + i / half * (wide / 2)]));
            }
        }
        return array;
    }

    std::vector<float> embedded_tokens(const std::vector<int32_t> & ids) {
        const int hidden = config_.base_lm.hidden;
        std::vector<float> rows(ids.size() * hidden);
        for (size_t i = 0; i < ids.size(); i++)
            tensors_.row("token_embd.weight", ids[i], hidden, rows.data() + i * hidden);
        for (float & value : rows) value *= config_.embedding_scale;
        return rows;
    }
    Arrays embed() {
        const std::vector<int32_t> & ids = need(inputs_, "ids").integers;
        return {{"out", {{static_cast<int64_t>(ids.size()), config_.base_lm.hidden}, embedded_tokens(ids), {}}}};
    }

    Arrays local_encoder() {
        const int n = count("patches", config_.patch_values());
        EncoderStage stage(device_, *queue_, network_, n);
        stage.run(arena_.copy(need(inputs_, "patches").floats), nullptr, {});
        const int width = network_.encoder.shape.width();
        stage.read_encoded();
        return {
            {"out", download(stage.encoded(), n, config_.local_encoder.hidden, width)},
            {"proj_out", download(stage.embeddings(), n, config_.base_lm.hidden, lm_width())},
        };
    }

    Arrays fsq() {
        const int hidden = config_.base_lm.hidden, n = count("in", hidden), stride = padded(config_.fsq_dim);
        LmStage stage(device_, *queue_, network_, n);
        float * levels = arena_.array<float>(static_cast<size_t>(n) * stride);
        float * out = arena_.array<float>(static_cast<size_t>(n) * lm_width());
        Arrays results;
        stage.tap(collect(results));
        stage.quantize(upload(need(inputs_, "in").floats, hidden, lm_width()), levels, out);
        Array & bounded = results["tanh"] = results.at("unbounded");
        for (float & value : bounded.floats) value = std::tanh(value);
        results["q"] = download(levels, n, config_.fsq_dim, stride);
        results["out"] = download(out, n, hidden, lm_width());
        return results;
    }

    Arrays stop() {
        const int hidden = config_.base_lm.hidden, n = count("in", hidden);
        LmStage stage(device_, *queue_, network_, n);
        stage.stop(upload(need(inputs_, "in").floats, hidden, lm_width()));
        return {{"logits", download(stage.logits(), n, 2, 32)}};
    }

    Arrays fusion() {
        const int hidden = config_.base_lm.hidden, n = count("in", 2 * hidden);
        LmStage stage(device_, *queue_, network_, n);
        float * out = arena_.array<float>(static_cast<size_t>(n) * lm_width());
        stage.fuse(upload(need(inputs_, "in").floats, hidden, lm_width()), out);
        return {{"out", download(out, n, hidden, lm_width())}};
    }

    Arrays prefill() {
        const std::vector<int32_t> & audio = need(inputs_, "audioMask").integers;
        const int n = static_cast<int>(audio.size()), hidden = config_.base_lm.hidden;
        std::vector<float> rows = embedded_tokens(need(inputs_, "tokens").integers);
        const int patches = static_cast<int>(std::count(audio.begin(), audio.end(), 1));
        if (patches > 0) {
            EncoderStage encoder(device_, *queue_, network_, patches);
            encoder.run(arena_.copy(need(inputs_, "features").floats), nullptr, {});
            const Array embedded = download(encoder.embeddings(), patches, hidden, lm_width());
            int next = 0;
            for (int i = 0; i < n; i++) {
                if (audio[i])
                    std::copy_n(
                        embedded.floats.begin() + static_cast<int64_t>(next++) * hidden, hidden,
                        rows.begin() + static_cast<int64_t>(i) * hidden
                    );
            }
        }
        LmStage stage(device_, *queue_, network_, n);
        float * out = arena_.array<float>(static_cast<size_t>(n) * lm_width());
        stage.run_stack(network_.base_lm, upload(rows, hidden, lm_width()), out, cache(n, 0, true), 0);
        return {{"embeds", {{n, hidden}, rows, {}}}, {"base_out", download(out, n, hidden, lm_width())}};
    }

    std::vector<float> time_row(float time, float delta, Arrays * results = nullptr) {
        const int width = config_.local_dit.hidden;
        const std::vector<float> embedding = time_sinusoids({time}, width), t = network_.time_mlp(embedding),
                                 d = network_.delta_mlp(time_sinusoids({delta}, width));
        if (results) {
            for (const auto & [name, values] : {std::pair{"t_emb", &embedding}, {"t_mlp", &t}, {"dt_mlp", &d}}) {
                Array & array = (*results)[name];
                array.floats.insert(array.floats.end(), values->begin(), values->end());
                array.shape = {
                    static_cast<int64_t>(array.floats.size() / values->size()), static_cast<int64_t>(values->size())
                };
            }
        }
        return network_.time_row(time, delta);
    }

    FlowStage::Inputs flow_inputs(const std::string & noise, size_t index, float cfg) {
        const size_t values = config_.patch_values(), hidden = config_.local_dit.hidden,
                     mu = hidden * config_.mu_tokens();
        const auto part = [&](const std::string & name, size_t size) {
            const auto from = need(inputs_, name).floats.begin() + static_cast<int64_t>(index * size);
            return std::vector<float>(from, from + static_cast<int64_t>(size));
        };
        return {
            .noise = arena_.copy(part(noise, values)),
            .cfg = arena_.copy(std::vector<float>{cfg}),
            .mu = upload(part("mu", mu), static_cast<int>(hidden), network_.dit.shape.width()),
            .previous = arena_.copy(part("cond", values)),
        };
    }

    Arrays local_dit() {
        const std::vector<float> &times = need(inputs_, "t").floats, &deltas = need(inputs_, "dt").floats;
        Arrays results;
        Array out{.shape = {static_cast<int64_t>(times.size()), config_.patch_size, config_.feature_dim}};
        FlowStage stage(device_, *queue_, network_, 1);
        for (size_t i = 0; i < times.size(); i++) {
            stage.estimate(flow_inputs("x", i, 2), arena_.copy(time_row(times[i], deltas[i], &results)));
            const Array one =
                download(stage.velocity(), config_.patch_size, config_.feature_dim, padded(config_.feature_dim));
            out.floats.insert(out.floats.end(), one.floats.begin(), one.floats.end());
        }
        results["out"] = out;
        return results;
    }

    Arrays flow() {
        const bool zero_star = parameter("zeroStar", 1) != 0;
        const std::vector<FlowSchedule::Call> calls =
            FlowSchedule{
                .timesteps = static_cast<int>(parameter("timesteps", 10)),
                .sway = static_cast<float>(parameter("sway", 1)),
                .zero_star = zero_star,
            }
                .calls(config_.mean_mode);
        std::vector<float> times;
        Array t{.shape = {static_cast<int64_t>(calls.size())}}, dt = t;
        for (const FlowSchedule::Call & call : calls) {
            const std::vector<float> row = time_row(call.time, call.delta);
            times.insert(times.end(), row.begin(), row.end());
            t.floats.push_back(call.time);
            dt.floats.push_back(call.delta);
        }
        FlowStage stage(device_, *queue_, network_, 1);
        FlowStage::Inputs inputs = flow_inputs("z", 0, static_cast<float>(parameter("cfg", 2)));
        inputs.zero_star = zero_star;
        Arrays results;
        stage.tap(collect(results));
        stage.run(inputs, calls, times.empty() ? nullptr : arena_.copy(times));
        results["out"] = download(stage.patches(), config_.patch_size, config_.feature_dim, config_.feature_dim);
        results["traj.t"] = t;
        results["traj.dt"] = dt;
        return results;
    }

    // All frames at once, from an empty state.
    Arrays run_vae(VaeStage & stage, const Vae & vae, const std::vector<float> & input) {
        Arrays results;
        stage.tap(collect(results));
        float * state = arena_.array<float>(2 * static_cast<size_t>(vae.state_values()));
        stage.run(arena_.copy(input), arena_.copy(std::vector<float *>{state}), arena_.copy(std::vector<int>{0}));
        return results;
    }

    Arrays encode() {
        std::vector<float> samples = need(inputs_, "samples").floats;
        const size_t hop = config_.vae.encode_hop();
        samples.resize((samples.size() + hop - 1) / hop * hop);
        const Vae vae(device_, tensors_, describe_vae_encoder(config_, file_));
        VaeStage stage(device_, *queue_, vae, 1, static_cast<int>(samples.size()));
        Arrays results = run_vae(stage, vae, samples);
        results["mu"] = download(stage.out(), stage.out_frames(), config_.feature_dim, stage.stride());
        return results;
    }

    Arrays decode() {
        const std::vector<float> & latents = need(inputs_, "latents").floats;
        const int rate = static_cast<int>(parameter("sampleRate", config_.vae.out_sample_rate));
        const Vae vae(device_, tensors_, describe_vae_decoder(config_, file_), rate);
        VaeStage stage(device_, *queue_, vae, 1, static_cast<int>(latents.size()) / config_.feature_dim);
        Arrays results = run_vae(stage, vae, latents);
        results["wav"] = {{stage.out_frames()}, read_array(device_, stage.out(), stage.out_frames()), {}};
        return results;
    }

    Device & device_;
    const Network & network_;
    const Config & config_;
    const GgufFile & file_;
    const GgufTensors & tensors_;
    const Arrays & inputs_;
    const Parameters & parameters_;
    std::unique_ptr<Queue> queue_;
    Arena arena_;
    const int32_t recordings_, copies_;
    uint16_t ** pages_ = nullptr;
    std::vector<uint16_t *> host_pages_;
    int most_pages_ = 0;
};

namespace {

Arrays probe(CudaExecutor & executor, const std::string & stage, const Arrays & inputs, const Parameters & parameters) {
    return CudaProber(executor, inputs, parameters).run(stage);
}

std::vector<svc::Device> no_devices() { return {}; }

template <bool Warpgroups>
std::unique_ptr<Executor> open_executor(const GgufFile & file, const Config & config, const ExecutorOptions &) {
    return std::make_unique<CudaExecutor>(file, config, make_simt_device({.warpgroups = Warpgroups}));
}

// A model of any card, and of one with products of warpgroups.
const Engine simt_engine = {"simt", no_devices, open_executor<false>};
const Engine warpgroup_engine = {"simt-warpgroups", no_devices, open_executor<true>};

// Once, when the addon is loaded.
const bool registered = [] {
    CudaExecutor::prober = probe;
    add_engine(simt_engine);
    add_engine(warpgroup_engine);
    return true;
}();

// By which the addon of a clone is known to have the model.
const Extension simt_extension([](Napi::Env env, Napi::Object exports) {
    exports.Set("hasSimt", Napi::Boolean::New(env, true));
});

} // namespace

} // namespace svc::cuda
