#include "cuda/batches.h"

#include <algorithm>

namespace svc::cuda {

PrefillBatch::PrefillBatch(Device & device, Queue & queue, const Network & network, const Cache & cache, int columns)
    : queue_(queue), network_(network), cache_(cache), columns_(columns), arena_(device), staging_(arena_),
      stage_(device, queue, network, columns) {
    staging_.add(embeddings_, static_cast<size_t>(columns) * network.base_lm.shape.width());
    staging_.add(slots_, columns);
    staging_.add(positions_, columns);
    staging_.add(audio_, columns);
    staging_.add(adapters_, 1);
    staging_.add(weights_, 1);
    staging_.place();
}

void PrefillBatch::run(int slot, int first, const std::vector<Column> & columns, const BatchAdapter & adapter) {
    const int hidden = network_.config.base_lm.hidden, width = network_.base_lm.shape.width();
    for (int i = 0; i < columns_; i++) {
        const bool used = i < static_cast<int>(columns.size());
        slots_.host[i] = used ? slot : cache_.spare_slot();
        positions_.host[i] = used ? first + i : 0;
        audio_.host[i] = used && columns[i].audio ? 1 : 0;
        float * row = embeddings_.host + static_cast<size_t>(i) * width;
        std::fill_n(row, width, 0.0f);
        if (used) std::copy_n(columns[i].embedding, hidden, row);
    }
    adapters_.host[0] = adapter.factors;
    weights_.host[0] = adapter.weight;
    auto & recording = recordings_[adapter.factors != nullptr];
    if (!recording) {
        recording = queue_.record([&] {
            staging_.upload(queue_);
            LmStage::Inputs inputs{
                .embeddings = embeddings_.device,
                .audio = audio_.device,
                .cache =
                    {.pages = cache_.pages(), .slots = slots_.device, .positions = positions_.device, .stored = true},
                .each = columns_,
            };
            if (adapter.factors) inputs.adapters = {adapters_.device, weights_.device, 1};
            stage_.run(inputs, false);
        });
    }
    recording->run();
    queue_.synchronize();
}

StepBatch::StepBatch(
    Device & device, Queue & queue, const Network & network, const Cache & cache, const SlotState & state, int streams
)
    : device_(device), queue_(queue), network_(network), cache_(cache), state_(state), streams_(streams),
      arena_(device), staging_(arena_), encoder_(device, queue, network, streams), lm_(device, queue, network, streams),
      flow_(device, queue, network, streams) {
    const size_t count = static_cast<size_t>(streams), values = network.config.patch_values();
    for (Staged<int> * field : {&slots_, &positions_, &given_, &audio_}) staging_.add(*field, count);
    staging_.add(text_, 2 * count);
    staging_.add(cfg_, count);
    staging_.add(weights_, count);
    staging_.add(adapters_, count);
    staging_.add(noise_, count * values);
    staging_.place();
    patches_ = arena_.host<float>(count * values);
    logits_ = arena_.host<float>(count * 32);
    peaks_ = arena_.host<float>(count * peak_count());
    device_peaks_ = arena_.array<float>(count * peak_count());
    clock_ = queue.make_clock(4);
}

Cost StepBatch::cost() const {
    Cost all;
    for (const Launcher * part :
         {static_cast<const Launcher *>(&encoder_), static_cast<const Launcher *>(&lm_),
          static_cast<const Launcher *>(&flow_)})
        all += part->cost();
    return all;
}

void StepBatch::launch(const Variant & variant, const std::vector<FlowSchedule::Call> & calls, const float * times) {
    const Config & config = network_.config;
    const size_t count = static_cast<size_t>(streams_), values = config.patch_values();
    BatchAdapters adapters;
    if (variant.adapted) adapters = {adapters_.device, weights_.device, streams_};
    staging_.upload(queue_);
    clock_->mark(0);
    encoder_.run(state_.patches, slots_.device, adapters);
    clock_->mark(1);
    LmStage::Inputs inputs{
        .embeddings = encoder_.embeddings(),
        .given = given_.device,
        .slot_embeddings = state_.embeddings,
        .audio = audio_.device,
        .cache = {.pages = cache_.pages(), .slots = slots_.device, .positions = positions_.device},
        .adapters = adapters,
    };
    if (variant.texts) {
        inputs.cache.text = text_.device;
        inputs.cache.peaks = device_peaks_;
    }
    lm_.run(inputs, true);
    clock_->mark(2);
    const FlowStage::Inputs flow{
        .noise = noise_.device,
        .cfg = cfg_.device,
        .mu = lm_.mu(),
        .previous = state_.patches,
        .slots = slots_.device,
        .state = state_.patches,
        .adapters = adapters,
    };
    flow_.run(flow, calls, times);
    clock_->mark(3);
    queue_.download(patches_, flow_.patches(), count * values * sizeof(float));
    queue_.download(logits_, lm_.logits(), count * 32 * sizeof(float));
    if (variant.texts) queue_.download(peaks_, device_peaks_, count * peak_count() * sizeof(float));
}

Cost StepBatch::run(
    const std::vector<Stream> & streams, int timesteps, const std::vector<FlowSchedule::Call> & calls,
    const float * times
) {
    const int values = network_.config.patch_values();
    Variant variant{timesteps, false, false};
    const std::vector<float> silence(values);
    double positions = 0;
    for (int i = 0; i < streams_; i++) {
        const bool used = i < static_cast<int>(streams.size());
        const Stream stream =
            used ? streams[i] : Stream{cache_.spare_slot(), 0, false, true, 1, silence.data(), 0, 0, {}};
        slots_.host[i] = stream.slot;
        positions_.host[i] = stream.position;
        positions += stream.position;
        given_.host[i] = stream.given ? 1 : 0;
        audio_.host[i] = stream.audio ? 1 : 0;
        cfg_.host[i] = stream.cfg;
        text_.host[2 * i] = stream.text_first;
        text_.host[2 * i + 1] = stream.text_count;
        adapters_.host[i] = stream.adapter.factors;
        weights_.host[i] = stream.adapter.weight;
        std::copy_n(stream.noise, values, noise_.host + static_cast<size_t>(i) * values);
        variant.adapted |= stream.adapter.factors != nullptr;
        variant.texts |= stream.text_count > 0;
    }
    Recorded & recorded = recordings_[variant];
    if (!recorded.recording) {
        const Cost before = cost();
        recorded.recording = queue_.record([&] { launch(variant, calls, times); });
        recorded.cost = cost() - before;
    }
    recorded.recording->run();
    queue_.synchronize();
    Cost all = recorded.cost;
    all.bytes += positions * static_cast<double>(cache_.position_bytes());
    return all;
}

std::vector<float> StepBatch::hidden() {
    return read_array(device_, lm_.hidden(), static_cast<size_t>(streams_) * network_.base_lm.shape.width());
}

std::vector<float> StepBatch::residual_hidden() {
    lm_.read_residual();
    queue_.synchronize();
    return read_array(device_, lm_.residual_hidden(), static_cast<size_t>(streams_) * network_.base_lm.shape.width());
}

DecodeBatch::DecodeBatch(Device & device, Queue & queue, const Vae & vae, const Config & config, int streams)
    : streams_(streams), values_(config.patch_values()), arena_(device), staging_(arena_),
      stage_(device, queue, vae, streams, config.patch_size) {
    const size_t count = static_cast<size_t>(streams);
    staging_.add(latents_, count * values_);
    staging_.add(states_, count);
    staging_.add(turns_, count);
    staging_.place();
    spare_ = arena_.array<float>(2 * count * vae.state_values());
    samples_ = arena_.host<float>(count * stage_.out_frames());
    spare_values_ = 2 * static_cast<size_t>(vae.state_values());
    recording_ = queue.record([&] {
        staging_.upload(queue);
        stage_.run(latents_.device, states_.device, turns_.device);
        queue.download(samples_, stage_.out(), count * stage_.out_frames() * sizeof(float));
    });
}

void DecodeBatch::start(const std::vector<Stream> & streams) {
    for (size_t i = 0; i < static_cast<size_t>(streams_); i++) {
        const bool used = i < streams.size();
        states_.host[i] = used ? streams[i].state : spare_ + i * spare_values_;
        turns_.host[i] = used ? streams[i].turn : 0;
        if (used) std::copy_n(streams[i].patch, values_, latents_.host + i * values_);
    }
    recording_->run();
}

} // namespace svc::cuda
