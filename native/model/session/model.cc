#include "model/session/model.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "runtime/error.h"
#include "runtime/memory.h"

namespace svc {
namespace {

constexpr size_t max_sessions = 256;
// Latent frames encoded at once; bounds memory for long recordings.
constexpr int encode_frames = 32;
// Positions whose memory the C library may keep for the next utterances: four typical ones or one long one. Without it, page
// faults in new blocks take a third of the time to the first audio.
constexpr int max_kept_positions = 1024;
// An encoder takes about as much memory as a typical utterance.
constexpr int encoding_positions = 256;

bool all_finite(const std::vector<float> & values) {
    return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

void require_distinct(std::vector<int> sessions) {
    std::sort(sessions.begin(), sessions.end());
    if (std::adjacent_find(sessions.begin(), sessions.end()) != sessions.end())
        fail("INVALID_REQUEST", "a session occurs twice in the batch");
}

} // namespace

void Model::require_finite(const std::vector<float> & values) const {
    if (!all_finite(values)) file_.refuse("the weights are broken: the model computed infinity or NaN");
}

// A recording being encoded.
struct Model::Encoding {
    std::vector<float> samples; // zero-padded to whole frames
    std::unique_ptr<EncoderMemory> memory;
    size_t next = 0; // frame
};

Session::Session(float cfg, int timesteps, TextCells text, AdapterUse adapter)
    : cfg(cfg), timesteps(timesteps), text(text), adapter(std::move(adapter)) {}

Session::~Session() = default;

Model::Model(const std::string & path, const Engine & engine, const ExecutorOptions & options) try
    : file_(path), config_(read_config(file_)), executor_(engine.open(file_, config_, options)),
      voices_(config_, *executor_) {
} catch (const std::bad_alloc &) {
    fail("OUT_OF_MEMORY", "not enough memory to load ", path);
}

void Model::load(const std::atomic<bool> & stopping) try {
    if (!loaded_) executor_->load(stopping);
    loaded_ = true;
} catch (const std::bad_alloc &) {
    fail("OUT_OF_MEMORY", "not enough memory to load ", file_.path());
}

void Model::require_loaded() const {
    if (!loaded_) fail("INVALID_REQUEST", "the weights of the model are not loaded; call load()");
}

Model::~Model() { finish_decoding(); }

void Model::finish_decoding() {
    if (decoding_) decoding_->finish();
    decoding_.reset();
}

Arrays Model::probe(const std::string & stage, const Arrays & inputs, const Parameters & parameters) {
    finish_decoding();
    require_loaded();
    return executor_->probe(stage, inputs, parameters);
}

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

int Model::open_encoding(std::vector<float> samples) {
    finish_decoding();
    require_loaded();
    const size_t hop = config_.vae.encode_hop();
    samples.resize((samples.size() + hop - 1) / hop * hop, 0.0f);
    auto encoding = std::make_unique<Encoding>();
    encoding->samples = std::move(samples);
    file_.require_unchanged();
    encoding->memory = executor_->open_encoder();
    encodings_[++numbers_] = std::move(encoding);
    note_held();
    return numbers_;
}

std::vector<float> Model::encode(int number) {
    finish_decoding();
    const auto found = encodings_.find(number);
    if (found == encodings_.end()) fail("INVALID_REQUEST", "the encoding is closed");
    Encoding & encoding = *found->second;
    const size_t hop = config_.vae.encode_hop(), frames = encoding.samples.size() / hop;
    const size_t count = std::min<size_t>(encode_frames, frames - encoding.next);
    if (count == 0) return {};
    const auto samples = std::span<const float>(encoding.samples).subspan(encoding.next * hop, count * hop);
    std::vector<float> latents = executor_->encode(*encoding.memory, samples);
    encoding.next += count;
    require_finite(latents);
    return latents;
}

void Model::close_encoding(int number) {
    finish_decoding();
    if (encodings_.erase(number) > 0) return_memory();
}

int Model::open_adapter(const std::vector<LoraUpdate> & updates, float scale) {
    finish_decoding();
    require_loaded();
    check_adapter(config_, updates, scale);
    adapters_[numbers_ + 1] = executor_->adapter(updates, scale);
    return ++numbers_;
}

void Model::close_adapter(int number) {
    finish_decoding();
    adapters_.erase(number);
}

int Model::open(Prefix prefix, float cfg, int timesteps, TextCells text, int adapter, float weight) {
    finish_decoding();
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
    if (adapter != 0 && weight != 0) use = {adapters_.at(adapter), weight, adapter};
    if (sessions_.size() >= max_sessions)
        fail("OUT_OF_MEMORY", "too many sessions at once (limit: ", max_sessions, ")");
    auto session = std::make_unique<Session>(cfg, timesteps, text, std::move(use));
    session->prefill = std::make_unique<Prefill>(config_, *executor_, voices_, *session, std::move(prefix));
    sessions_[++numbers_] = std::move(session);
    note_held();
    return numbers_;
}

bool Model::prefill(int id) {
    finish_decoding();
    Session & session = session_at(id);
    if (session.prefill && session.prefill->advance()) session.prefill.reset();
    return !session.prefill;
}

void Model::close(int id) {
    finish_decoding();
    session_at(id);
    sessions_.erase(id);
    return_memory();
}

int Model::held_positions() const {
    int sum = encoding_positions * static_cast<int>(encodings_.size());
    for (const auto & [id, session] : sessions_) sum += session->memory->capacity();
    return sum;
}

void Model::note_held() { most_held_ = std::max(most_held_, held_positions()); }

void Model::return_memory() {
    if (most_held_ - held_positions() <= max_kept_positions) return;
    most_held_ = held_positions();
    return_freed_memory();
}

std::vector<Patch> Model::step(const std::vector<int> & ids, const std::vector<const float *> & noise, Trace trace) {
    require_distinct(ids);
    if (ids.empty()) return {};
    std::vector<Patch> patches(ids.size());
    std::vector<StepJob> jobs;
    const int timesteps = session_at(ids[0]).timesteps;
    for (size_t i = 0; i < ids.size(); i++) {
        Session & session = filled_session(ids[i]);
        if (session.timesteps != timesteps)
            fail("INVALID_REQUEST", "all sessions of a batch must have the same timesteps");
        if (session.rows + session.columns() > config_.context_length)
            fail(
                "INVALID_REQUEST", "the utterance is longer than the context of ", config_.context_length, " positions"
            );
        jobs.push_back({
            .memory = *session.memory,
            .rows = session.rows,
            .kept = session.kept,
            .cfg = session.cfg,
            .noise = noise[i],
            .text = session.text,
            .adapter = session.adapter,
            .result = patches[i],
        });
    }
    executor_->step(jobs, timesteps, trace);
    note_held();
    for (const int id : ids) {
        Session & session = session_at(id);
        session.rows += session.columns();
        session.kept.clear();
    }
    for (size_t i = 0; i < ids.size(); i++) check_values(session_at(ids[i]), patches[i]);
    return patches;
}

void Model::check_values(const Session & session, Patch & patch) const {
    for (const auto * values : {&patch.patch, &patch.stop_logits, &patch.lm_hidden, &patch.residual_hidden}) {
        if (!session.adapter.adapter) require_finite(*values);
        else if (!all_finite(*values))
            patch.failure =
                "the model computed infinity or NaN with the adapter; use a smaller weight or another adapter";
    }
}

std::shared_ptr<PendingSamples> Model::decode(
    const std::vector<int> & ids, const std::vector<std::vector<float>> & patches
) {
    finish_decoding();
    require_distinct(ids);
    const size_t values = config_.patch_values(), n = ids.size(), count = n > 0 ? patches[0].size() : 0;
    if (count == 0 || count % values != 0)
        fail("INVALID_REQUEST", "patches must have a multiple of ", values, " values, got ", count);
    for (size_t i = 0; i < n; i++) {
        filled_session(ids[i]);
        if (patches[i].size() != count)
            fail(
                "INVALID_REQUEST", "all sessions of a batch must decode the same number of values, got ", count,
                " and ", patches[i].size()
            );
    }
    Samples samples(n);
    std::vector<size_t> members, contexts;
    for (size_t i = 0; i < n; i++) {
        Session & session = session_at(ids[i]);
        // several patches at the beginning are the end of a recording
        const bool context = !session.decoded && count > values;
        session.decoded = true;
        if (const VoiceMemory::Decoded * known = context ? voices_.find_decoded(patches[i]) : nullptr) {
            executor_->load_decoder(*session.memory, *known->state);
            samples[i] = known->samples;
            continue;
        }
        if (context) contexts.push_back(i);
        members.push_back(i);
    }
    if (executor_->decodes_beside() && members.size() == n && count == values) {
        const auto check = [this](const Samples & all) {
            for (const std::vector<float> & one : all) require_finite(one);
        };
        decoding_ = std::make_shared<PendingSamples>(decode_patch(members, ids, patches, 0), check);
        return decoding_;
    }
    if (!members.empty()) decode_all(members, ids, patches, samples);
    for (size_t i : contexts)
        voices_.remember_decoded(patches[i], {executor_->save_decoder(*session_at(ids[i]).memory), samples[i]});
    return std::make_shared<PendingSamples>(std::move(samples));
}

std::unique_ptr<Decoding> Model::decode_patch(
    const std::vector<size_t> & members, const std::vector<int> & ids, const std::vector<std::vector<float>> & patches,
    size_t first
) {
    std::vector<DecodeJob> jobs;
    for (size_t i : members) jobs.push_back({*session_at(ids[i]).memory, patches[i].data() + first});
    return executor_->decode(jobs);
}

void Model::decode_all(
    const std::vector<size_t> & members, const std::vector<int> & ids, const std::vector<std::vector<float>> & patches,
    Samples & samples
) {
    for (size_t first = 0; first < patches[0].size(); first += config_.patch_values()) {
        const Samples chunk = decode_patch(members, ids, patches, first)->wait();
        for (size_t i = 0; i < members.size(); i++) {
            require_finite(chunk[i]);
            std::vector<float> & all = samples[members[i]];
            all.insert(all.end(), chunk[i].begin(), chunk[i].end());
        }
    }
}

} // namespace svc
