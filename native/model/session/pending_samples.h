// Samples of a decoding, which a device may still be computing while the model goes on.
#pragma once
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "model/jobs.h"

namespace svc {

// Samples of each session.
using Samples = std::vector<std::vector<float>>;

class PendingSamples {
public:
    explicit PendingSamples(Samples samples) : samples_(std::move(samples)) {}
    // `check` fails for samples that can't be used; it must not need what may be closed meanwhile.
    PendingSamples(std::unique_ptr<Decoding> decoding, std::function<void(const Samples &)> check)
        : decoding_(std::move(decoding)), check_(std::move(check)), ready_(false) {}

    // Whether take() returns at once.
    bool ready() const { return ready_; }
    // Waits for the device; its memory may be freed then. On any thread.
    void finish() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!decoding_) return;
        try {
            samples_ = decoding_->wait();
            check_(samples_);
        } catch (...) {
            failure_ = std::current_exception();
        }
        decoding_.reset();
    }
    // The samples, once. On any thread; fails as decoding does.
    Samples take() {
        finish();
        if (failure_) std::rethrow_exception(failure_);
        return std::move(samples_);
    }

private:
    std::mutex mutex_;
    std::unique_ptr<Decoding> decoding_; // until it is waited for
    std::function<void(const Samples &)> check_;
    const bool ready_ = true;
    Samples samples_;
    std::exception_ptr failure_;
};

} // namespace svc
