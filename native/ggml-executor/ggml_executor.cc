#include "ggml-executor/ggml_executor.h"

#include <algorithm>
#include <new>

#include "ggml-executor/devices.h"
#include "ggml-executor/stages/columns.h"
#include "runtime/error.h"

namespace svc {
namespace {

// Graphs of previous shapes kept for reuse as requests come and go.
constexpr size_t max_step_graphs = 16, max_decode_graphs = 8;
// Columns of a prefill whose graph is worth keeping, as its scratch memory is: longer ones compute for long.
constexpr int kept_prefill_columns = 64;
constexpr size_t vae_nodes = 4096;

GgmlSessionMemory & own(SessionMemory & memory) { return static_cast<GgmlSessionMemory &>(memory); }
const GgmlSessionMemory & own(const SessionMemory & memory) { return static_cast<const GgmlSessionMemory &>(memory); }

// LocDiT sees all positions of both guidance branches at once. With few threads, its arithmetic takes longer than
// reading weights of 8 bits; more threads wait for memory, which reads 4 bits faster.
std::string many_columns(const Config & config, const Compute & compute, const std::string & dit_type) {
    constexpr int columns_per_thread = 5;
    const bool faster = compute.kernels() && !compute.kernels()->slow_bytes &&
        2 * config.dit_length() >= columns_per_thread * compute.team().size();
    return dit_type == "int8" || (dit_type == "auto" && faster) ? "locdit.blk." : "";
}

struct SavedRows : Saved {
    explicit SavedRows(std::vector<char> rows) : rows(std::move(rows)) {}
    size_t bytes() const override { return rows.size(); }
    std::vector<char> rows;
};

struct SavedDecoder : Saved {
    explicit SavedDecoder(std::vector<float> values) : values(std::move(values)) {}
    size_t bytes() const override { return values.size() * sizeof(float); }
    std::vector<float> values;
};

// ggml computes a decoding at once.
class ReadyDecoding : public Decoding {
public:
    explicit ReadyDecoding(std::vector<std::vector<float>> samples) : samples_(std::move(samples)) {}
    std::vector<std::vector<float>> wait() override { return std::move(samples_); }

private:
    std::vector<std::vector<float>> samples_;
};

// A recording being encoded.
struct GgmlEncoderMemory : EncoderMemory {
    std::unique_ptr<VaeState> state;
    std::unique_ptr<Graph> graph;
    ggml_tensor *input = nullptr, *output = nullptr;
};

std::unique_ptr<Executor> open_executor(const GgufFile & file, const Config & config, const ExecutorOptions & options) {
    return std::make_unique<GgmlExecutor>(file, config, options);
}

} // namespace

const Engine ggml_engine = {"ggml", ggml_devices, open_executor};

GgmlExecutor::Probe GgmlExecutor::prober = nullptr;

struct GgmlExecutor::DecodeGraph {
    std::vector<uint64_t> memories; // unless it can be bound to others
    std::vector<std::unique_ptr<VaeState>> slots;
    Graph graph;
    ggml_tensor *latents = nullptr, *samples = nullptr;
};

GgmlExecutor::GgmlExecutor(const GgufFile & file, const Config & config, const ExecutorOptions & options)
    : file_(file), config_(config), compute_(options.device, options.threads, options.kernels),
      weights_(file, compute_, many_columns(config, compute_, options.dit_type)), encoder_weights_(file, compute_),
      network_(weights_, encoder_weights_, config) {}

GgmlExecutor::~GgmlExecutor() = default;

std::string GgmlExecutor::device() const { return ggml_backend_dev_name(compute_.device()); }

Work GgmlExecutor::work() const {
    Work work{.milliseconds = std::nullopt, .phases = 0, .graphs = compute_.graphs()};
    if (!compute_.kernels()) return work;
    const StageClock & clock = compute_.clock();
    work.milliseconds = {
        .language_models = clock.milliseconds(Stage::language_models),
        .local_encoder = clock.milliseconds(Stage::local_encoder),
        .flow = clock.milliseconds(Stage::flow),
    };
    work.phases = compute_.team().phases();
    return work;
}

void GgmlExecutor::load(const std::atomic<bool> & stopping) { weights_.upload(stopping); }

const VaeEncoder & GgmlExecutor::vae_encoder() {
    static const std::atomic<bool> never{false};
    if (!encodes_) encoder_weights_.upload(never);
    encodes_ = true;
    return network_.vae_encoder;
}

const FlowMatching::Constants & GgmlExecutor::constants(int timesteps) {
    auto & entry = constants_[timesteps];
    if (!entry) {
        FlowSchedule schedule;
        schedule.timesteps = timesteps;
        entry = network_.flow.prepare(compute_, schedule);
    }
    return *entry;
}

std::unique_ptr<SessionMemory> GgmlExecutor::open(int positions, std::span<const float> patch) {
    auto memory = std::make_unique<GgmlSessionMemory>(
        config_, compute_, std::make_unique<VaeState>(network_.vae_decoder.states(), compute_), patch
    );
    memory->reserve(positions, 0);
    return memory;
}

std::vector<float> GgmlExecutor::embed(std::span<const float> patches, const AdapterUse & adapter) {
    Graph graph(compute_, static_cast<size_t>(config_.local_encoder.layers) * 48 + 128);
    ggml_tensor * input = graph.input(
        GGML_TYPE_F32, config_.feature_dim, config_.patch_size,
        static_cast<int64_t>(patches.size() / config_.patch_values())
    );
    ggml_tensor * positions = graph.input(GGML_TYPE_I32, 1 + config_.patch_size);
    AdapterRuns runs;
    runs.add(adapter, static_cast<int>(input->ne[2]));
    ggml_tensor * output = graph.output(network_.embed_patches(graph, input, positions, &runs));
    graph.allocate();
    graph.set(input, patches.data(), patches.size_bytes());
    graph.set(positions, network_.local_encoder.positions());
    graph.run();
    return graph.get(output);
}

void GgmlExecutor::prefill(SessionMemory & memory, const Chunk & chunk) {
    const int count = static_cast<int>(chunk.tokens.size()), cached = std::clamp(chunk.rows - chunk.first, 0, count);
    const std::vector<float> inputs = network_.inputs(chunk.tokens, chunk.audio, chunk.embeddings);
    if (cached > 0)
        prefill_columns(own(memory), {chunk.first, cached, inputs.data(), chunk.audio.data()}, chunk.adapter);
    std::vector<float> & kept = own(memory).kept;
    kept.insert(kept.end(), inputs.begin() + static_cast<size_t>(cached) * config_.base_lm.hidden, inputs.end());
}

void GgmlExecutor::prefill_columns(
    GgmlSessionMemory & memory, const PrefillColumns & columns, const AdapterUse & adapter
) {
    const int most = PrefillGraph::columns_of(compute_, columns.count);
    const bool kept = compute_.kernels() && most <= kept_prefill_columns;
    if (!kept) return PrefillGraph(network_, compute_, memory, columns, adapter).run(memory, columns, adapter);
    if (!prefill_graph_ || prefill_graph_->most_columns() != most)
        prefill_graph_ = std::make_unique<PrefillGraph>(network_, compute_, memory, columns, adapter);
    prefill_graph_->run(memory, columns, adapter);
}

StepGraph & GgmlExecutor::step_graph(const StepBatch & batch, int timesteps) {
    StepGraph::Key key = StepGraph::key_of(compute_, batch, timesteps);
    const auto found = std::find_if(step_graphs_.begin(), step_graphs_.end(), [&](const StepGraph & graph) {
        return graph.key() == key;
    });
    if (found != step_graphs_.end()) {
        step_graphs_.splice(step_graphs_.begin(), step_graphs_, found);
        return step_graphs_.front();
    }
    if (step_graphs_.size() >= max_step_graphs) step_graphs_.pop_back();
    step_graphs_.emplace_front(network_, compute_, constants(timesteps), std::move(key), batch);
    return step_graphs_.front();
}

void GgmlExecutor::step(std::span<const StepJob> jobs, int timesteps, Trace trace) {
    for (const StepJob & job : jobs) own(job.memory).reserve(job.rows + job.columns(), job.rows);
    const StepBatch batch = StepGraph::sorted(jobs);
    step_graph(batch, timesteps).run(batch, trace);
}

GgmlExecutor::DecodeGraph & GgmlExecutor::decode_graph(std::span<const DecodeJob> jobs) {
    std::vector<uint64_t> memories;
    for (const DecodeJob & job : jobs) {
        if (!compute_.rebinds()) memories.push_back(own(job.memory).number);
    }
    const auto found = std::find_if(decode_graphs_.begin(), decode_graphs_.end(), [&](const DecodeGraph & graph) {
        return graph.slots.size() == jobs.size() && graph.memories == memories;
    });
    if (found != decode_graphs_.end()) {
        decode_graphs_.splice(decode_graphs_.begin(), decode_graphs_, found);
        return decode_graphs_.front();
    }
    if (decode_graphs_.size() >= max_decode_graphs) decode_graphs_.pop_back();
    // added to the others only when complete, as memory may run out before
    std::list<DecodeGraph> one;
    DecodeGraph & made = one.emplace_front(
        DecodeGraph{.memories = memories, .slots = {}, .graph = Graph(compute_, vae_nodes / 2 * (1 + jobs.size()))}
    );
    Streams streams;
    for (size_t i = 0; i < jobs.size(); i++) {
        made.slots.push_back(std::make_unique<VaeState>(network_.vae_decoder.states(), made.graph));
        streams.push_back(made.slots.back().get());
    }
    made.latents =
        made.graph.input(GGML_TYPE_F32, config_.feature_dim, config_.patch_size * static_cast<int64_t>(jobs.size()));
    made.samples =
        made.graph.output(network_.vae_decoder.build(made.graph, streams, made.latents, config_.vae.out_sample_rate));
    for (size_t i = 0; i < jobs.size(); i++) made.slots[i]->bind(made.graph, *own(jobs[i].memory).vae);
    made.graph.allocate();
    decode_graphs_.splice(decode_graphs_.begin(), one);
    return made;
}

std::unique_ptr<Decoding> GgmlExecutor::decode(std::span<const DecodeJob> jobs) {
    DecodeGraph & decoder = decode_graph(jobs);
    std::vector<float> latents;
    for (size_t i = 0; i < jobs.size(); i++) {
        decoder.slots[i]->bind(decoder.graph, *own(jobs[i].memory).vae);
        latents.insert(latents.end(), jobs[i].patch, jobs[i].patch + config_.patch_values());
    }
    decoder.graph.set(decoder.latents, latents);
    decoder.graph.run();
    const std::vector<float> all = decoder.graph.get(decoder.samples);
    const size_t each = all.size() / jobs.size();
    std::vector<std::vector<float>> samples;
    for (size_t i = 0; i < jobs.size(); i++) samples.emplace_back(all.begin() + i * each, all.begin() + (i + 1) * each);
    return std::make_unique<ReadyDecoding>(std::move(samples));
}

std::unique_ptr<EncoderMemory> GgmlExecutor::open_encoder() {
    auto memory = std::make_unique<GgmlEncoderMemory>();
    memory->state = std::make_unique<VaeState>(vae_encoder().states(), compute_);
    return memory;
}

std::vector<float> GgmlExecutor::encode(EncoderMemory & memory, std::span<const float> samples) {
    auto & encoder = static_cast<GgmlEncoderMemory &>(memory);
    const int64_t count = static_cast<int64_t>(samples.size());
    if (!encoder.graph || encoder.input->ne[1] != count) {
        encoder.graph = std::make_unique<Graph>(compute_, vae_nodes);
        encoder.input = encoder.graph->input(GGML_TYPE_F32, 1, count);
        encoder.output =
            encoder.graph->output(vae_encoder().build(*encoder.graph, {encoder.state.get()}, encoder.input));
        encoder.graph->allocate();
    }
    encoder.graph->set(encoder.input, samples.data(), samples.size_bytes());
    encoder.graph->run();
    return encoder.graph->get(encoder.output);
}

std::unique_ptr<Saved> GgmlExecutor::read(const SessionMemory & memory, int first, int count) {
    return std::make_unique<SavedRows>(own(memory).cache.read(first, count));
}

void GgmlExecutor::write(SessionMemory & memory, int first, int count, const Saved & rows) {
    own(memory).cache.write(first, count, static_cast<const SavedRows &>(rows).rows);
}

std::unique_ptr<Saved> GgmlExecutor::save_decoder(const SessionMemory & memory) {
    return std::make_unique<SavedDecoder>(own(memory).vae->save());
}

void GgmlExecutor::load_decoder(SessionMemory & memory, const Saved & state) {
    own(memory).vae->load(static_cast<const SavedDecoder &>(state).values);
}

std::unique_ptr<AdapterWeights> GgmlExecutor::adapter(const std::vector<LoraUpdate> & updates, float scale) {
    return std::make_unique<Adapter>(network_, compute_, updates, scale);
}

Arrays GgmlExecutor::probe(const std::string & stage, const Arrays & inputs, const Parameters & parameters) {
    if (!prober) fail("INVALID_REQUEST", "this addon has no probes");
    return prober(*this, stage, inputs, parameters);
}

} // namespace svc
