#include "probe/reference/reference_executor.h"

#include <algorithm>

#include "addon/engines.h"
#include "addon/extension.h"
#include "model/description/adapter.h"

namespace svc::reference {
namespace {

Memory & own(SessionMemory & memory) { return static_cast<Memory &>(memory); }
const Memory & own(const SessionMemory & memory) { return static_cast<const Memory &>(memory); }

struct Encoder : EncoderMemory {
    VaeState state;
};

struct SavedRows : Saved {
    size_t bytes() const override {
        return base.size() * base.front().keys.size() * base.front().keys.front().size() * 16;
    }
    Caches base, residual;
};

struct SavedDecoder : Saved {
    size_t bytes() const override { return 1 << 16; }
    VaeState state;
};

class ReadyDecoding : public Decoding {
public:
    explicit ReadyDecoding(std::vector<std::vector<float>> samples) : samples_(std::move(samples)) {}
    std::vector<std::vector<float>> wait() override { return std::move(samples_); }

private:
    std::vector<std::vector<float>> samples_;
};

std::vector<float> floats(const Row & row) { return {row.begin(), row.end()}; }

std::vector<float> floats(const Rows & rows) {
    std::vector<float> values;
    for (const Row & row : rows) values.insert(values.end(), row.begin(), row.end());
    return values;
}

Caches copy(const Caches & caches, int first, int count) {
    Caches copies;
    for (const LayerCache & cache : caches)
        copies.push_back({
            {cache.keys.begin() + first, cache.keys.begin() + first + count},
            {cache.values.begin() + first, cache.values.begin() + first + count},
        });
    return copies;
}

void append(Caches & caches, const Caches & rows) {
    for (size_t i = 0; i < caches.size(); i++) {
        caches[i].keys.insert(caches[i].keys.end(), rows[i].keys.begin(), rows[i].keys.end());
        caches[i].values.insert(caches[i].values.end(), rows[i].values.begin(), rows[i].values.end());
    }
}

const Engine engine = {
    "reference", [] { return std::vector<Device>(); },
    [](const GgufFile & file, const Config & config, const ExecutorOptions &) -> std::unique_ptr<Executor> {
        return std::make_unique<ReferenceExecutor>(file, config);
    }
};

[[maybe_unused]] const bool added = (add_engine(engine), true);

} // namespace

void ReferenceExecutor::load(const std::atomic<bool> &) {
    network_ = std::make_unique<Network>(config_, file_);
    vae_ = std::make_unique<Vae>(config_, file_);
}

std::unique_ptr<SessionMemory> ReferenceExecutor::open(int, std::span<const float> patch) {
    auto memory = std::make_unique<Memory>();
    memory->base.resize(config_.base_lm.layers);
    memory->residual.resize(config_.residual_lm.layers);
    memory->patch.assign(patch.begin(), patch.end());
    memory->patch.resize(config_.patch_values());
    memory->decoder = vae_->decoder_state();
    return memory;
}

Row ReferenceExecutor::embed_patch(const float * patch, const AdapterUse & adapter) const {
    return network_->linear(network_->weights.enc_to_lm, network_->encode_patch(patch), adapter);
}

std::vector<float> ReferenceExecutor::embed(std::span<const float> patches, const AdapterUse & adapter) {
    Rows rows;
    for (size_t first = 0; first < patches.size(); first += config_.patch_values())
        rows.push_back(embed_patch(patches.data() + first, adapter));
    return floats(rows);
}

void ReferenceExecutor::prefill(SessionMemory & memory, const Chunk & chunk) {
    const size_t hidden = config_.base_lm.hidden,
                 cached = std::clamp<int>(chunk.rows - chunk.first, 0, static_cast<int>(chunk.tokens.size()));
    Rows x;
    const float * patch = chunk.embeddings.data();
    for (size_t i = 0; i < chunk.tokens.size(); i++) {
        if (!chunk.audio[i]) {
            x.push_back(network_->token(chunk.tokens[i]));
            continue;
        }
        x.emplace_back(patch, patch + hidden);
        patch += hidden;
    }
    own(memory).kept.insert(own(memory).kept.end(), x.begin() + cached, x.end());
    x.resize(cached);
    if (cached > 0) speak(own(memory), x, chunk.audio.first(cached), chunk.adapter);
}

ReferenceExecutor::Hidden ReferenceExecutor::speak(
    Memory & memory, const Rows & x, std::span<const uint8_t> audio, const AdapterUse & adapter, Look * look
) const {
    Rows hidden = network_->cached(network_->weights.base_lm, x, memory.base, adapter, look), fused;
    for (size_t i = 0; i < x.size(); i++) {
        if (audio[i]) hidden[i] = network_->quantize(hidden[i]);
        fused.push_back(network_->fuse(hidden[i], audio[i] ? x[i] : Row(x[i].size()), adapter));
    }
    return {hidden.back(), network_->cached(network_->weights.residual_lm, fused, memory.residual, adapter).back()};
}

void ReferenceExecutor::step(std::span<const StepJob> jobs, int timesteps, Trace trace) {
    for (const StepJob & job : jobs) step(job, timesteps, trace);
}

void ReferenceExecutor::step(const StepJob & job, int timesteps, Trace trace) const {
    Memory & memory = own(job.memory);
    const std::vector<uint8_t> patch_only = {1};
    const bool first = !job.kept.empty();
    const Rows x = first ? std::move(memory.kept) : Rows{embed_patch(memory.patch.data(), job.adapter)};
    Look look{job.text};
    const Hidden hidden =
        speak(memory, x, first ? job.kept : patch_only, job.adapter, job.text.count > 0 ? &look : nullptr);
    FlowSchedule schedule;
    schedule.timesteps = timesteps;
    const Rows patch = network_->flow(
        schedule, network_->frames(job.noise), network_->condition(hidden.lm, hidden.residual, job.adapter),
        network_->frames(memory.patch.data()), job.cfg, job.adapter
    );
    job.result.patch = memory.patch = floats(patch);
    job.result.stop_logits = floats(network_->stop(hidden.lm));
    job.result.attention = look.peaks;
    memory.kept.clear();
    if (trace == Trace::off) return;
    job.result.lm_hidden = floats(hidden.lm);
    job.result.residual_hidden = floats(hidden.residual);
}

std::unique_ptr<Decoding> ReferenceExecutor::decode(std::span<const DecodeJob> jobs) {
    std::vector<std::vector<float>> samples;
    for (const DecodeJob & job : jobs)
        samples.push_back(
            floats(vae_->decode(network_->frames(job.patch), own(job.memory).decoder, config_.vae.out_sample_rate))
        );
    return std::make_unique<ReadyDecoding>(std::move(samples));
}

std::unique_ptr<EncoderMemory> ReferenceExecutor::open_encoder() {
    auto memory = std::make_unique<Encoder>();
    memory->state = vae_->encoder_state();
    return memory;
}

std::vector<float> ReferenceExecutor::encode(EncoderMemory & memory, std::span<const float> samples) {
    return floats(vae_->encode(Row(samples.begin(), samples.end()), static_cast<Encoder &>(memory).state));
}

std::unique_ptr<Saved> ReferenceExecutor::read(const SessionMemory & memory, int first, int count) {
    auto rows = std::make_unique<SavedRows>();
    rows->base = copy(own(memory).base, first, count);
    rows->residual = copy(own(memory).residual, first, count);
    return rows;
}

void ReferenceExecutor::write(SessionMemory & memory, int, int, const Saved & rows) {
    append(own(memory).base, static_cast<const SavedRows &>(rows).base);
    append(own(memory).residual, static_cast<const SavedRows &>(rows).residual);
}

std::unique_ptr<Saved> ReferenceExecutor::save_decoder(const SessionMemory & memory) {
    auto saved = std::make_unique<SavedDecoder>();
    saved->state = own(memory).decoder;
    return saved;
}

void ReferenceExecutor::load_decoder(SessionMemory & memory, const Saved & state) {
    own(memory).decoder = static_cast<const SavedDecoder &>(state).state;
}

std::unique_ptr<AdapterWeights> ReferenceExecutor::adapter(const std::vector<LoraUpdate> & updates, float scale) {
    auto adapter = std::make_unique<Adapter>();
    for (const AdapterTarget & target : adapter_targets(config_)) {
        for (const LoraUpdate & update : updates) {
            if (update.target != target.target) continue;
            Adapter::Update & made = adapter->updates[target.name];
            made = {update.rank, {update.a.begin(), update.a.end()}, {update.b.begin(), update.b.end()}};
            for (double & value : made.b) value *= scale;
        }
    }
    return adapter;
}

} // namespace svc::reference
