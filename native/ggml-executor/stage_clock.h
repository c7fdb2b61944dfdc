// Time spent in the stages of a step that run on our own kernels.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>

namespace svc {

enum class Stage { language_models, local_encoder, flow };
constexpr int stage_count = 3;

// Totals since the model was loaded; written by the compute thread, read by any.
class StageClock {
public:
    double milliseconds(Stage stage) const {
        return static_cast<double>(nanoseconds_[static_cast<int>(stage)].load(std::memory_order_relaxed)) / 1e6;
    }

    // Adds its own lifetime.
    class Lap {
    public:
        Lap(StageClock & clock, Stage stage)
            : sum_(clock.nanoseconds_[static_cast<int>(stage)]), begin_(std::chrono::steady_clock::now()) {}
        ~Lap() {
            sum_.fetch_add(
                std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin_).count(),
                std::memory_order_relaxed
            );
        }
        Lap(const Lap &) = delete;
        Lap & operator=(const Lap &) = delete;

    private:
        std::atomic<int64_t> & sum_;
        std::chrono::steady_clock::time_point begin_;
    };

private:
    std::atomic<int64_t> nanoseconds_[stage_count] = {};
};

} // namespace svc
