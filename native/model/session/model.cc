#include "model/session/model.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>

#include "runtime/error.h"
#include "runtime/memory.h"

namespace svc {
namespace {

// Graphs of previous batches kept for reuse as requests come and go.
constexpr size_t max_graphs = 8;
constexpr size_t max_sessions = 256;
constexpr size_t vae_nodes = 4096;
// Latent frames encoded at once; bounds memory for long recordings.
constexpr int encode_frames = 32;

// A batch sorted by session, so that the same sessions find the same graph.
std::vector<size_t> batch_order(const std::vector<int> & sessions) {
    std::vector<size_t> order(sessions.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return sessions[a] < sessions[b]; });
    for (size_t i = 1; i < order.size(); i++) {
        if (sessions[order[i]] == sessions[order[i - 1]])
            fail("INVALID_REQUEST", "a session occurs twice in the batch");
    }
    return order;
}

// KV positions whose memory the C library may keep for the next utterances: four typical ones or one long one. Without
// it, page faults in new blocks take a third of the time to the first audio.
constexpr int max_kept_positions = 1024;
// An encoder's graph takes about as much memory as a typical utterance.
constexpr int encoding_positions = 256;

bool all_finite(const std::vector<float> & values) {
    return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

} // namespace

void Model::require_finite(const std::vector<float> & values) const {
    if (!all_finite(values)) file_.refuse("the weights are broken: the model computed infinity or NaN");
}

// A recording being encoded.
struct Model::Encoding {
    std::vector<float> samples; // zero-padded to whole frames
    std::unique_ptr<VaeState> state;
    size_t next = 0; // frame
    std::unique_ptr<Graph> graph;
    ggml_tensor *input = nullptr, *output = nullptr;
};

Session::Session(
    const Config & config, const Compute & compute, std::unique_ptr<VaeState> vae_state, float cfg, int timesteps,
    TextCells text, AdapterUse adapter
)
    : cfg(cfg), timesteps(timesteps), text(text), adapter(std::move(adapter)), cache(config, compute),
      vae(std::move(vae_state)) {
    embeddings = ggml_new_tensor_2d(storage.context(), GGML_TYPE_F32, config.base_lm.hidden, max_pending);
    patch = ggml_new_tensor_2d(storage.context(), GGML_TYPE_F32, config.feature_dim, config.patch_size);
    storage.allocate(compute.buffer_type());
}

Session::~Session() = default;

namespace {

// LocDiT sees all positions of both guidance branches at once. With few threads, its arithmetic takes longer than
// reading weights of 8 bits; more threads wait for memory, which reads 4 bits faster.
std::string many_columns(const Config & config, const Compute & compute, const std::string & dit_type) {
    constexpr int columns_per_thread = 5;
    const bool faster = compute.kernels() && !compute.kernels()->slow_bytes &&
        2 * config.dit_length() >= columns_per_thread * compute.team().size();
    return dit_type == "int8" || (dit_type == "auto" && faster) ? "locdit.blk." : "";
}

} // namespace

Model::Model(
    const std::string & path, const std::string & device, int threads, const std::string & kernels,
    const std::string & dit_type
) try
    : file_(path), config_(read_config(file_)), compute_(device, threads, kernels),
      weights_(file_, compute_, many_columns(config_, compute_, dit_type)), encoder_weights_(file_, compute_),
      network_(weights_, encoder_weights_, config_), voices_(network_, compute_),
      weight_type_(weights_.dominant_type()) {
} catch (const std::bad_alloc &) {
    fail("OUT_OF_MEMORY", "not enough memory to load ", path);
}

void Model::load(const std::atomic<bool> & stopping) try {
    if (!loaded_) weights_.upload(stopping);
    loaded_ = true;
} catch (const std::bad_alloc &) {
    fail("OUT_OF_MEMORY", "not enough memory to load ", file_.path());
}

void Model::require_loaded() const {
    if (!loaded_) fail("INVALID_REQUEST", "the weights of the model are not loaded; call load()");
}

Model::~Model() = default;

Session & Model::session_at(int id) {
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) fail("INVALID_REQUEST", "the session is closed");
    return *found->second;
}

Session & Model::filled_session(int id) {
    Session & session = session_at(id);
    if (session.prefill) fail("INVALID_REQUEST", "the prefix of the session is not complete");
    return session;
}

const FlowMatching::Constants & Model::constants(int timesteps) {
    auto & entry = constants_[timesteps];
    if (!entry) {
        FlowSchedule schedule;
        schedule.timesteps = timesteps;
        entry = network_.flow.prepare(compute_, schedule);
    }
    return *entry;
}

const VaeEncoder & Model::vae_encoder() {
    static const std::atomic<bool> never{false};
    if (!encodes_) {
        file_.require_unchanged();
        encoder_weights_.upload(never);
    }
    encodes_ = true;
    return network_.vae_encoder;
}

int Model::open_encoding(std::vector<float> samples) {
    require_loaded();
    const size_t hop = config_.vae.encode_hop();
    samples.resize((samples.size() + hop - 1) / hop * hop, 0.0f);
    auto encoding = std::make_unique<Encoding>();
    encoding->samples = std::move(samples);
    encoding->state = vae_encoder().make_state(compute_);
    encodings_[++numbers_] = std::move(encoding);
    note_held();
    return numbers_;
}

std::vector<float> Model::encode(int number) {
    const auto found = encodings_.find(number);
    if (found == encodings_.end()) fail("INVALID_REQUEST", "the encoding is closed");
    Encoding & encoding = *found->second;
    const size_t hop = config_.vae.encode_hop(), frames = encoding.samples.size() / hop;
    const size_t count = std::min<size_t>(encode_frames, frames - encoding.next);
    if (count == 0) return {};
    if (!encoding.graph || static_cast<size_t>(encoding.input->ne[1]) != count * hop) {
        encoding.graph = std::make_unique<Graph>(compute_, vae_nodes);
        encoding.input = encoding.graph->input(GGML_TYPE_F32, 1, count * hop);
        encoding.output =
            encoding.graph->output(vae_encoder().build(*encoding.graph, {encoding.state.get()}, encoding.input));
        encoding.graph->allocate();
    }
    encoding.graph->set(encoding.input, encoding.samples.data() + encoding.next * hop, count * hop * sizeof(float));
    encoding.graph->run();
    encoding.next += count;
    std::vector<float> latents = encoding.graph->get(encoding.output);
    require_finite(latents);
    return latents;
}

void Model::close_encoding(int number) {
    if (encodings_.erase(number) > 0) return_memory();
}

int Model::open_adapter(const std::vector<LoraUpdate> & updates, float scale) {
    require_loaded();
    const int number = ++numbers_;
    adapters_[number] = std::make_shared<const Adapter>(network_, compute_, number, updates, scale);
    return number;
}

void Model::close_adapter(int number) { adapters_.erase(number); }

int Model::open(Prefix prefix, float cfg, int timesteps, TextCells text, int adapter, float weight) {
    require_loaded();
    check_prefix(prefix, config_);
    file_.require_unchanged();
    if (timesteps < 1 || timesteps > 1000)
        fail("INVALID_REQUEST", "timesteps must be an integer from 1 to 1000, got ", timesteps);
    if (!std::isfinite(cfg)) fail("INVALID_REQUEST", "cfg must be a finite number, got ", cfg);
    const int positions = static_cast<int>(prefix.tokens.size());
    if (text.first < 0 || text.count < 0 || text.first > positions - text.count)
        fail(
            "INVALID_REQUEST", "text must be positions of the prefix, got ", text.count, " from ", text.first, " of ",
            positions
        );
    if (!std::isfinite(weight))
        fail("INVALID_REQUEST", "the weight of the adapter must be a finite number, got ", weight);
    if (adapter != 0 && adapters_.count(adapter) == 0) fail("INVALID_REQUEST", "the adapter is closed");
    AdapterUse use;
    if (adapter != 0 && weight != 0) use = {adapters_.at(adapter), weight};
    if (sessions_.size() >= max_sessions)
        fail("OUT_OF_MEMORY", "too many sessions at once (limit: ", max_sessions, ")");
    auto session = std::make_unique<Session>(
        config_, compute_, network_.vae_decoder.make_state(compute_), cfg, timesteps, text, std::move(use)
    );
    session->prefill = std::make_unique<Prefill>(network_, compute_, voices_, *session, std::move(prefix));
    sessions_[++numbers_] = std::move(session);
    note_held();
    return numbers_;
}

bool Model::prefill(int id) {
    Session & session = session_at(id);
    if (session.prefill && session.prefill->advance()) session.prefill.reset();
    return !session.prefill;
}

void Model::close(int id) {
    session_at(id);
    forget_step_graphs(id);
    decode_graphs_.remove_if([&](const DecodeGraph & graph) {
        return std::find(graph.sessions.begin(), graph.sessions.end(), id) != graph.sessions.end();
    });
    sessions_.erase(id);
    return_memory();
}

int Model::held_positions() const {
    int sum = encoding_positions * static_cast<int>(encodings_.size());
    for (const auto & [id, session] : sessions_) sum += session->cache.capacity();
    return sum;
}

void Model::note_held() { most_held_ = std::max(most_held_, held_positions()); }

void Model::return_memory() {
    if (most_held_ - held_positions() <= max_kept_positions) return;
    most_held_ = held_positions();
    return_freed_memory();
}

void Model::forget_step_graphs(int id) {
    step_graphs_.remove_if([&](const StepGraph & graph) {
        const std::vector<int> & sessions = graph.key().sessions;
        return std::find(sessions.begin(), sessions.end(), id) != sessions.end();
    });
}

StepGraph & Model::step_graph(
    const std::vector<int> & indices, const std::vector<Session *> & sessions, int timesteps
) {
    StepGraph::Key key{.sessions = indices, .timesteps = timesteps};
    for (const Session * session : sessions) {
        key.pending.push_back(static_cast<int>(session->pending.size()));
        key.kv_lengths.push_back(std::min(kv_bucket(session->length + session->columns()), session->cache.capacity()));
    }
    const auto found = std::find_if(step_graphs_.begin(), step_graphs_.end(), [&](const StepGraph & graph) {
        return graph.key() == key;
    });
    if (found != step_graphs_.end()) {
        step_graphs_.splice(step_graphs_.begin(), step_graphs_, found);
        return step_graphs_.front();
    }
    if (step_graphs_.size() >= max_graphs) step_graphs_.pop_back();
    step_graphs_.emplace_front(network_, compute_, constants(timesteps), std::move(key), sessions);
    return step_graphs_.front();
}

std::vector<StepResult> Model::step(const std::vector<int> & indices, const std::vector<const float *> & noise) {
    const std::vector<size_t> order = batch_order(indices);
    std::vector<int> sorted;
    std::vector<Session *> sessions;
    std::vector<const float *> draws;
    for (size_t i : order) {
        Session & session = filled_session(indices[i]);
        if (session.timesteps != session_at(indices[order[0]]).timesteps)
            fail("INVALID_REQUEST", "all sessions of a batch must have the same timesteps");
        const int length = session.length + session.columns();
        if (length > config_.context_length)
            fail(
                "INVALID_REQUEST", "the utterance is longer than the context of ", config_.context_length, " positions"
            );
        if (session.cache.capacity() < length) forget_step_graphs(indices[i]);
        if (session.cache.reserve(length, session.length)) note_held();
        sorted.push_back(indices[i]);
        sessions.push_back(&session);
        draws.push_back(noise[i]);
    }
    std::vector<StepResult> results = step_graph(sorted, sessions, sessions.front()->timesteps).run(sessions, draws);
    for (size_t i = 0; i < results.size(); i++) {
        StepResult & result = results[i];
        for (const auto * values : {&result.patch, &result.stop_logits, &result.lm_hidden, &result.residual_hidden}) {
            if (!sessions[i]->adapter.adapter) require_finite(*values);
            else if (!all_finite(*values))
                result.failure =
                    "the model computed infinity or NaN with the adapter; use a smaller weight or another adapter";
        }
    }
    std::vector<StepResult> ordered(results.size());
    for (size_t i = 0; i < order.size(); i++) ordered[order[i]] = std::move(results[i]);
    return ordered;
}

Model::DecodeGraph & Model::decode_graph(const std::vector<int> & sessions) {
    const auto found = std::find_if(decode_graphs_.begin(), decode_graphs_.end(), [&](const DecodeGraph & graph) {
        return graph.sessions == sessions;
    });
    if (found != decode_graphs_.end()) {
        decode_graphs_.splice(decode_graphs_.begin(), decode_graphs_, found);
        return decode_graphs_.front();
    }
    if (decode_graphs_.size() >= max_graphs) decode_graphs_.pop_back();
    // added to the others only when complete, as memory may run out before
    std::list<DecodeGraph> one;
    DecodeGraph & made = one.emplace_front(
        DecodeGraph{.sessions = sessions, .graph = Graph(compute_, vae_nodes / 2 * (1 + sessions.size()))}
    );
    Streams streams;
    for (int id : sessions) streams.push_back(sessions_.at(id)->vae.get());
    made.latents = made.graph.input(
        GGML_TYPE_F32, config_.feature_dim, config_.patch_size * static_cast<int64_t>(sessions.size())
    );
    made.samples =
        made.graph.output(network_.vae_decoder.build(made.graph, streams, made.latents, config_.vae.out_sample_rate));
    made.graph.allocate();
    decode_graphs_.splice(decode_graphs_.begin(), one);
    return made;
}

std::vector<std::vector<float>> Model::decode(
    const std::vector<int> & indices, const std::vector<std::vector<float>> & patches
) {
    const size_t values = config_.patch_values(), n = indices.size(), count = n > 0 ? patches[0].size() : 0;
    if (count == 0 || count % values != 0)
        fail("INVALID_REQUEST", "patches must have a multiple of ", values, " values, got ", count);
    for (size_t i = 0; i < n; i++) {
        filled_session(indices[i]);
        if (patches[i].size() != count)
            fail(
                "INVALID_REQUEST", "all sessions of a batch must decode the same number of values, got ", count,
                " and ", patches[i].size()
            );
    }
    std::vector<std::vector<float>> samples(n);
    std::vector<size_t> order, contexts;
    std::vector<int> sorted;
    for (size_t i : batch_order(indices)) {
        Session & session = *sessions_.at(indices[i]);
        // several patches at the beginning are the end of a recording
        const bool context = !session.decoded && count > values;
        session.decoded = true;
        if (const VoiceMemory::Decoded * known = context ? voices_.find_decoded(patches[i]) : nullptr) {
            session.vae->load(known->state);
            samples[i] = known->samples;
            continue;
        }
        if (context) contexts.push_back(i);
        order.push_back(i);
        sorted.push_back(indices[i]);
    }
    if (order.empty()) return samples;
    DecodeGraph & decoder = decode_graph(sorted);
    std::vector<float> latents(order.size() * values);
    for (size_t first = 0; first < count; first += values) {
        for (size_t i = 0; i < order.size(); i++)
            std::copy_n(patches[order[i]].begin() + first, values, latents.begin() + i * values);
        decoder.graph.set(decoder.latents, latents);
        decoder.graph.run();
        const std::vector<float> chunk = decoder.graph.get(decoder.samples);
        require_finite(chunk);
        const size_t each = chunk.size() / order.size();
        for (size_t i = 0; i < order.size(); i++)
            samples[order[i]].insert(samples[order[i]].end(), chunk.begin() + i * each, chunk.begin() + (i + 1) * each);
    }
    for (size_t i : contexts) voices_.remember_decoded(patches[i], {sessions_.at(indices[i])->vae->save(), samples[i]});
    return samples;
}

} // namespace svc
