// What the executor keeps of a session, of a part of one, of a recording that is being encoded, and of samples that a device
// still computes.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "cuda/cuda_executor.h"

namespace svc::cuda {

constexpr int most_batch = 64;

// Batches have 1, 2, 4, … streams or columns.
inline int bucket_of(int count, int least = 1) {
    int bucket = least;
    while (bucket < count) bucket *= 2;
    return bucket;
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

} // namespace svc::cuda
