#include "cuda/cuda_executor.h"

#include <algorithm>
#include <mutex>

#include "cuda/adapters.h"
#include "cuda/kernels/rows.h"
#include "runtime/error.h"

namespace svc::cuda {
namespace {

constexpr int most_sessions = 256, most_batch = 64;

// Batches have 1, 2, 4, … streams or columns.
int bucket_of(int count, int least = 1) {
    int bucket = least;
    while (bucket < count) bucket *= 2;
    return bucket;
}

BatchAdapter batch_adapter(const AdapterUse & use) {
    if (!use.adapter) return {};
    return {static_cast<const CudaAdapter &>(*use.adapter).factors(), use.weight};
}

// What stays on the device: bits of rows, or values of a decoder.
struct SavedOnDevice : Saved {
    SavedOnDevice(Device & device, size_t values) : arena(device), count(values) {}
    size_t bytes() const override { return arena.bytes(); }
    Arena arena;
    size_t count;
    uint16_t * rows = nullptr;
    float * state = nullptr;
};

} // namespace

CudaExecutor::Probe CudaExecutor::prober = nullptr;

struct CudaExecutor::Session : SessionMemory {
    Session(Device & device, Cache & cache, size_t state_values)
        : cache(cache), slot(cache.take_slot()), arena(device), state(arena.array<float>(2 * state_values)) {}
    ~Session() override { cache.give_slot(slot); }
    int capacity() const override { return static_cast<int>(pages.size()) * page_positions; }

    Cache & cache;
    const int slot;
    Arena arena;
    std::vector<Page> pages;
    float * state;           // of the VAE decoder, two copies
    int turn = 0;            // which one is read next
    std::vector<float> kept; // inputs of the base LM for the first step, [hidden] each
};

struct CudaExecutor::Encoder : EncoderMemory {
    Encoder(Device & device, size_t state_values)
        : arena(device), state(arena.array<float>(2 * state_values)), states(arena.copy(std::vector<float *>{state})),
          turns(arena.array<int>(1)) {}
    Arena arena;
    float * state;
    float ** states;
    int * turns;
    int turn = 0;
};

struct CudaExecutor::Schedule {
    std::vector<FlowSchedule::Call> calls;
    const float * times; // [call][padded hidden]
};

CudaExecutor::CudaExecutor(const GgufFile & file, const Config & config, std::unique_ptr<Device> device)
    : file_(file), config_(config), tensors_(file), device_(std::move(device)) {}

CudaExecutor::~CudaExecutor() = default;

void CudaExecutor::load(const std::atomic<bool> & stopping) {
    if (arena_) return;
    queue_ = device_->make_queue();
    decode_queue_ = device_->make_queue();
    network_ = std::make_unique<Network>(*device_, config_, tensors_, stopping);
    decoder_ =
        std::make_unique<Vae>(*device_, tensors_, describe_vae_decoder(config_, file_), config_.vae.out_sample_rate);
    cache_ = std::make_unique<Cache>(*device_, *network_, most_sessions);
    auto arena = std::make_unique<Arena>(*device_);
    const size_t slots = most_sessions + 1;
    state_.patches = arena->array<float>(slots * config_.patch_values());
    state_.embeddings = arena->array<float>(slots * network_->base_lm.shape.width());
    arena_ = std::move(arena);
}

std::unique_ptr<SessionMemory> CudaExecutor::open(int positions, std::span<const float> patch) {
    auto session = std::make_unique<Session>(*device_, *cache_, decoder_->state_values());
    cache_->reserve(session->slot, session->pages, positions);
    std::vector<float> previous(patch.begin(), patch.end());
    previous.resize(config_.patch_values());
    device_->write(
        state_.patches + static_cast<size_t>(session->slot) * previous.size(), previous.data(),
        previous.size() * sizeof(float)
    );
    return session;
}

std::vector<float> CudaExecutor::embed(std::span<const float> patches, const AdapterUse & use) {
    const int count = static_cast<int>(patches.size()) / config_.patch_values(), bucket = bucket_of(count);
    auto & stage = embed_stages_[bucket];
    if (!stage) stage = std::make_unique<EncoderStage>(*device_, *queue_, *network_, bucket);
    std::vector<float> input(patches.begin(), patches.end());
    input.resize(static_cast<size_t>(bucket) * config_.patch_values());
    Arena arena(*device_);
    const float * on_device = arena.copy(input);
    BatchAdapters adapters;
    if (use.adapter) {
        const BatchAdapter own = batch_adapter(use);
        adapters = {arena.copy(std::vector{own.factors}), arena.copy(std::vector{own.weight}), 1};
    }
    stage->run(on_device, nullptr, adapters);
    queue_->synchronize();
    const int width = network_->base_lm.shape.width(), hidden = config_.base_lm.hidden;
    const std::vector<float> rows = read_array(*device_, stage->embeddings(), static_cast<size_t>(count) * width);
    std::vector<float> result;
    for (int i = 0; i < count; i++) {
        const auto row = rows.begin() + static_cast<int64_t>(i) * width;
        result.insert(result.end(), row, row + hidden);
    }
    return result;
}

PrefillBatch & CudaExecutor::prefill_batch(int columns) {
    auto & batch = prefill_batches_[columns];
    if (!batch) batch = std::make_unique<PrefillBatch>(*device_, *queue_, *network_, *cache_, columns);
    return *batch;
}

void CudaExecutor::prefill_columns(
    Session & session, int first, const std::vector<PrefillBatch::Column> & columns, const AdapterUse & use
) {
    if (columns.empty()) return;
    cache_->reserve(session.slot, session.pages, first + static_cast<int>(columns.size()));
    constexpr int fewest = 8;
    PrefillBatch & batch = prefill_batch(bucket_of(static_cast<int>(columns.size()), fewest));
    const int before = batch.recordings();
    batch.run(session.slot, first, columns, batch_adapter(use));
    recordings_ += batch.recordings() - before;
}

void CudaExecutor::prefill(SessionMemory & memory, const Chunk & chunk) {
    auto & session = static_cast<Session &>(memory);
    const int hidden = config_.base_lm.hidden, count = static_cast<int>(chunk.tokens.size());
    std::vector<float> tokens(static_cast<size_t>(count) * hidden);
    std::vector<PrefillBatch::Column> columns;
    int patch = 0;
    for (int i = 0; i < count; i++) {
        const bool audio = chunk.audio[i] != 0;
        const float * row = chunk.embeddings.data() + static_cast<size_t>(patch) * hidden;
        if (audio) {
            patch++;
        } else {
            float * token = tokens.data() + static_cast<size_t>(i) * hidden;
            tensors_.row("token_embd.weight", chunk.tokens[i], hidden, token);
            for (int k = 0; k < hidden; k++) token[k] *= config_.embedding_scale;
            row = token;
        }
        if (chunk.first + i < chunk.rows) columns.push_back({row, audio});
        else session.kept.insert(session.kept.end(), row, row + hidden);
    }
    prefill_columns(session, chunk.first, columns, chunk.adapter);
}

const CudaExecutor::Schedule & CudaExecutor::schedule(int timesteps) {
    auto & made = schedules_[timesteps];
    if (made) return *made;
    auto schedule = std::make_unique<Schedule>();
    schedule->calls = FlowSchedule{.timesteps = timesteps}.calls(config_.mean_mode);
    std::vector<float> times;
    for (const FlowSchedule::Call & call : schedule->calls) {
        const std::vector<float> row = network_->time_row(call.time, call.delta);
        times.insert(times.end(), row.begin(), row.end());
    }
    schedule->times = arena_->copy(times);
    made = std::move(schedule);
    return *made;
}

StepBatch & CudaExecutor::step_batch(int streams) {
    auto & batch = step_batches_[streams];
    if (!batch) batch = std::make_unique<StepBatch>(*device_, *queue_, *network_, *cache_, state_, streams);
    return *batch;
}

StepBatch::Stream CudaExecutor::prepare(const StepJob & job) {
    auto & session = static_cast<Session &>(job.memory);
    const int hidden = config_.base_lm.hidden, last = job.columns() - 1;
    cache_->reserve(session.slot, session.pages, job.rows + job.columns());
    StepBatch::Stream stream{
        session.slot,   job.rows + last, false,
        true,           job.cfg,         job.noise,
        job.text.first, job.text.count,  batch_adapter(job.adapter),
    };
    if (job.kept.empty()) return stream;
    // all but the last go through the language models alone
    std::vector<PrefillBatch::Column> columns;
    for (int i = 0; i < last; i++)
        columns.push_back({session.kept.data() + static_cast<size_t>(i) * hidden, job.kept[i] != 0});
    prefill_columns(session, job.rows, columns, job.adapter);
    const float * row = session.kept.data() + static_cast<size_t>(last) * hidden;
    device_->write(
        state_.embeddings + static_cast<size_t>(session.slot) * network_->base_lm.shape.width(), row,
        static_cast<size_t>(hidden) * sizeof(float)
    );
    stream.given = true;
    stream.audio = job.kept[last] != 0;
    return stream;
}

void CudaExecutor::step(std::span<const StepJob> jobs, int timesteps, Trace trace) {
    for (size_t first = 0; first < jobs.size(); first += most_batch)
        step_together(jobs.subspan(first, std::min<size_t>(most_batch, jobs.size() - first)), timesteps, trace);
}

void CudaExecutor::step_together(std::span<const StepJob> jobs, int timesteps, Trace trace) {
    std::vector<StepBatch::Stream> streams;
    for (const StepJob & job : jobs) streams.push_back(prepare(job));
    StepBatch & batch = step_batch(bucket_of(static_cast<int>(jobs.size())));
    const Schedule & schedule = this->schedule(timesteps);
    const int before = batch.recordings();
    batch.run(streams, timesteps, schedule.calls, schedule.times);
    recordings_ += batch.recordings() - before;
    std::vector<float> hidden, residual;
    if (trace == Trace::hidden_states) {
        hidden = batch.hidden();
        residual = batch.residual_hidden();
    }
    const int width = network_->base_lm.shape.width();
    for (size_t i = 0; i < jobs.size(); i++) {
        const int stream = static_cast<int>(i);
        StepResult & result = jobs[i].result;
        result.patch.assign(batch.patch(stream), batch.patch(stream) + config_.patch_values());
        result.stop_logits.assign(batch.logits(stream), batch.logits(stream) + 2);
        if (jobs[i].text.count > 0)
            result.attention.assign(batch.peaks(stream), batch.peaks(stream) + batch.peak_count());
        if (trace == Trace::hidden_states) {
            const auto row = [&](const std::vector<float> & all) {
                const auto from = all.begin() + static_cast<int64_t>(i) * width;
                return std::vector<float>(from, from + config_.base_lm.hidden);
            };
            result.lm_hidden = row(hidden);
            result.residual_hidden = row(residual);
        }
        static_cast<Session &>(jobs[i].memory).kept.clear();
    }
}

// Samples of a batch, copied out of its memory before the batch is used again.
class CudaExecutor::PendingSamples {
public:
    PendingSamples(Queue & queue, const DecodeBatch & batch, size_t count)
        : queue_(queue), batch_(batch), samples_(count) {}
    void collect() {
        const std::lock_guard lock(mutex_);
        if (done_) return;
        queue_.synchronize();
        for (size_t i = 0; i < samples_.size(); i++) {
            const float * from = batch_.samples(static_cast<int>(i));
            samples_[i].assign(from, from + batch_.samples_of_stream());
        }
        done_ = true;
    }
    std::vector<std::vector<float>> take() {
        collect();
        return std::move(samples_);
    }

private:
    Queue & queue_;
    const DecodeBatch & batch_;
    std::vector<std::vector<float>> samples_;
    std::mutex mutex_;
    bool done_ = false;
};

struct CudaExecutor::Decode {
    Decode(Device & device, Queue & queue, const Vae & vae, const Config & config, int streams)
        : batch(device, queue, vae, config, streams) {}
    DecodeBatch batch;
    std::weak_ptr<PendingSamples> pending = {};
};

CudaExecutor::Decode & CudaExecutor::decode_batch(int streams) {
    auto & decode = decode_batches_[streams];
    if (!decode) {
        decode = std::make_unique<Decode>(*device_, *decode_queue_, *decoder_, config_, streams);
        recordings_++;
    }
    return *decode;
}

std::unique_ptr<Decoding> CudaExecutor::decode(std::span<const DecodeJob> jobs) {
    struct Samples : Decoding {
        std::vector<std::shared_ptr<PendingSamples>> parts;
        ~Samples() override {
            for (const auto & part : parts) {
                try {
                    part->collect();
                } catch (const Error &) {
                    // whoever waits is told; here nobody does
                }
            }
        }
        std::vector<std::vector<float>> wait() override {
            std::vector<std::vector<float>> all;
            for (const auto & part : parts) {
                for (auto & samples : part->take()) all.push_back(std::move(samples));
            }
            parts.clear();
            return all;
        }
    };
    auto result = std::make_unique<Samples>();
    for (size_t first = 0; first < jobs.size(); first += most_batch) {
        const auto some = jobs.subspan(first, std::min<size_t>(most_batch, jobs.size() - first));
        Decode & decode = decode_batch(bucket_of(static_cast<int>(some.size())));
        if (const auto earlier = decode.pending.lock()) earlier->collect();
        std::vector<DecodeBatch::Stream> streams;
        for (const DecodeJob & job : some) {
            auto & session = static_cast<Session &>(job.memory);
            streams.push_back({session.state, session.turn, job.patch});
            session.turn = 1 - session.turn;
        }
        decode.batch.start(streams);
        auto pending = std::make_shared<PendingSamples>(*decode_queue_, decode.batch, some.size());
        decode.pending = pending;
        result->parts.push_back(std::move(pending));
    }
    return result;
}

std::unique_ptr<EncoderMemory> CudaExecutor::open_encoder() {
    if (!encoder_) encoder_ = std::make_unique<Vae>(*device_, tensors_, describe_vae_encoder(config_, file_));
    return std::make_unique<Encoder>(*device_, encoder_->state_values());
}

std::vector<float> CudaExecutor::encode(EncoderMemory & memory, std::span<const float> samples) {
    auto & recording = static_cast<Encoder &>(memory);
    const int count = static_cast<int>(samples.size());
    auto & stage = encode_stages_[count];
    if (!stage) stage = std::make_unique<VaeStage>(*device_, *queue_, *encoder_, 1, count);
    Arena arena(*device_);
    const float * input = arena.copy(std::vector<float>(samples.begin(), samples.end()));
    device_->write(recording.turns, &recording.turn, sizeof(int));
    stage->run(input, recording.states, recording.turns);
    queue_->synchronize();
    recording.turn = 1 - recording.turn;
    const int frames = stage->out_frames(), latent = config_.vae.latent, stride = stage->stride();
    const std::vector<float> rows = read_array(*device_, stage->out(), static_cast<size_t>(frames) * stride);
    std::vector<float> latents;
    for (int i = 0; i < frames; i++) {
        const auto row = rows.begin() + static_cast<int64_t>(i) * stride;
        latents.insert(latents.end(), row, row + latent);
    }
    // recordings end with fewer frames, of any number: only whole slices are met again
    constexpr size_t most_stages = 2;
    if (encode_stages_.size() > most_stages) encode_stages_.erase(encode_stages_.begin());
    return latents;
}

size_t CudaExecutor::row_values() const {
    const size_t layers = network_->base_lm.layers.size() + network_->residual_lm.layers.size();
    return layers * 2 * network_->base_lm.shape.kv_heads * network_->base_lm.shape.head_padded;
}

void CudaExecutor::copy_rows(const Session & session, int first, int count, uint16_t * rows, bool into_pages) {
    const StackShape & shape = network_->base_lm.shape;
    const RowsJob job{cache_->pages(), session.slot, first, count, rows, into_pages};
    const int pieces = static_cast<int>(row_values()) / shape.head_padded;
    queue_->launch("copy_rows_" + std::to_string(shape.head_padded), {pieces}, 128, 0, job);
    queue_->synchronize();
}

std::unique_ptr<Saved> CudaExecutor::read(const SessionMemory & memory, int first, int count) {
    auto saved = std::make_unique<SavedOnDevice>(*device_, row_values() * count);
    saved->rows = saved->arena.array<uint16_t>(saved->count);
    copy_rows(static_cast<const Session &>(memory), first, count, saved->rows, false);
    return saved;
}

void CudaExecutor::write(SessionMemory & memory, int first, int count, const Saved & rows) {
    auto & session = static_cast<Session &>(memory);
    cache_->reserve(session.slot, session.pages, first + count);
    copy_rows(session, first, count, static_cast<const SavedOnDevice &>(rows).rows, true);
}

std::unique_ptr<Saved> CudaExecutor::save_decoder(const SessionMemory & memory) {
    const auto & session = static_cast<const Session &>(memory);
    const size_t values = decoder_->state_values();
    auto saved = std::make_unique<SavedOnDevice>(*device_, values);
    saved->state = saved->arena.copy(read_array(*device_, session.state + session.turn * values, values));
    return saved;
}

void CudaExecutor::load_decoder(SessionMemory & memory, const Saved & state) {
    auto & session = static_cast<Session &>(memory);
    const auto & saved = static_cast<const SavedOnDevice &>(state);
    const std::vector<float> values = read_array(*device_, saved.state, saved.count);
    device_->write(session.state + session.turn * saved.count, values.data(), values.size() * sizeof(float));
}

std::unique_ptr<AdapterWeights> CudaExecutor::adapter(const std::vector<LoraUpdate> & updates, float scale) {
    return std::make_unique<CudaAdapter>(*device_, *network_, updates, scale);
}

Arrays CudaExecutor::probe(const std::string & stage, const Arrays & inputs, const Parameters & parameters) {
    if (!prober) fail("INVALID_REQUEST", "this addon was built without probes");
    return prober(*this, stage, inputs, parameters);
}

} // namespace svc::cuda
