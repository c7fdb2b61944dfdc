#include "cuda/cuda_executor.h"

#include <algorithm>

#include "cuda/adapters.h"
#include "cuda/session.h"
#include "cuda/kernels/rows.h"
#include "runtime/error.h"

namespace svc::cuda {
namespace {

constexpr int most_sessions = 256;

BatchAdapter batch_adapter(const AdapterUse & use) {
    if (!use.adapter) return {};
    return {static_cast<const CudaAdapter &>(*use.adapter).factors(), use.weight};
}

} // namespace

CudaExecutor::Probe CudaExecutor::prober = nullptr;

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
    note_recordings(batch.recordings() - before);
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

Work CudaExecutor::work() const {
    const std::lock_guard lock(work_mutex_);
    Work work = work_;
    work.compile_milliseconds = device_->compile_milliseconds();
    return work;
}

void CudaExecutor::note_recordings(int count) {
    const std::lock_guard lock(work_mutex_);
    work_.graphs += count;
}

void CudaExecutor::note_step(const StepBatch & batch, const Cost & cost) {
    const std::lock_guard lock(work_mutex_);
    work_.milliseconds->local_encoder += batch.milliseconds(0);
    work_.milliseconds->language_models += batch.milliseconds(1);
    work_.milliseconds->flow += batch.milliseconds(2);
    work_.traffic->launches += cost.launches;
    work_.traffic->weight_bytes += cost.weight_bytes;
    work_.traffic->bytes += cost.bytes;
    work_.traffic->operations += cost.operations;
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
    const Cost cost = batch.run(streams, timesteps, schedule.calls, schedule.times);
    note_recordings(batch.recordings() - before);
    note_step(batch, cost);
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

size_t CudaExecutor::row_values() const {
    const size_t layers = network_->base_lm.layers.size() + network_->residual_lm.layers.size();
    return layers * 2 * network_->base_lm.shape.kv_heads * network_->base_lm.shape.head_padded;
}

void CudaExecutor::copy_rows(const Session & session, int first, int count, uint16_t * rows, bool into_pages) {
    const StackShape & shape = network_->base_lm.shape;
    const RowsJob job{cache_->pages(), session.slot, first, count, rows, into_pages};
    const int pieces = static_cast<int>(row_values()) / shape.head_padded;
    copies_++;
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

std::unique_ptr<AdapterWeights> CudaExecutor::adapter(const std::vector<LoraUpdate> & updates, float scale) {
    return std::make_unique<CudaAdapter>(*device_, *network_, updates, scale);
}

Arrays CudaExecutor::probe(const std::string & stage, const Arrays & inputs, const Parameters & parameters) {
    if (!prober) fail("INVALID_REQUEST", "this addon was built without probes");
    return prober(*this, stage, inputs, parameters);
}

} // namespace svc::cuda
