// Audio of the executor: the VAE decoder beside steps, and the encoder.
#include <algorithm>

#include "cuda/session.h"
#include "runtime/error.h"

namespace svc::cuda {

CudaExecutor::Decode & CudaExecutor::decode_batch(int streams) {
    auto & decode = decode_batches_[streams];
    if (!decode) {
        decode = std::make_unique<Decode>(*device_, *decode_queue_, *decoder_, config_, streams);
        note_recordings(1);
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

} // namespace svc::cuda
