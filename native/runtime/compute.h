// The device that computes, with the CPU beside it for what the device can't do.
#pragma once
#include <memory>
#include <mutex>
#include <string>

#include "kernels/kernels.h"
#include "kernels/team.h"
#include "runtime/ggml.h"
#include "runtime/stage_clock.h"

namespace svc {

// What computes one graph; the scheduler ends before the backend that it uses.
struct Executor {
    ggml_backend_ptr device;
    ggml_backend_sched_ptr scheduler;
};

using ThreadPool = std::unique_ptr<ggml_threadpool, void (*)(ggml_threadpool_t)>;

class Compute {
public:
    // `device` is a ggml device name. `kernels` names the CPU kernels to use; empty for the best of this processor,
    // `ggml` for none of ours. Fails with BACKEND_UNAVAILABLE when there is none of that name.
    Compute(const std::string & device, int threads, const std::string & kernels = "");

    ggml_backend_dev_t device() const { return device_; }
    ggml_backend_buffer_type_t buffer_type() const { return ggml_backend_dev_buffer_type(device_); }
    bool is_cpu() const { return backends_[1] == nullptr; }
    // Our own CPU kernels and the team that runs them; null where ggml's are used.
    const KernelSet * kernels() const { return kernels_; }
    Team & team() const { return *team_; }
    StageClock & clock() const { return clock_; }
    bool supports(const ggml_tensor * op) const { return ggml_backend_dev_supports_op(device_, op); }
    // Held while a graph runs, where several of ggml's threads compute it.
    std::unique_lock<std::mutex> take_cores() const;
    // Splits a graph of up to `nodes` nodes between the device and the CPU.
    Executor executor(size_t nodes) const;

private:
    ggml_backend_dev_t device_;
    // before the backends, which end first
    ThreadPool pools_[2] = {{nullptr, nullptr}, {nullptr, nullptr}};
    ggml_backend_ptr owned_[2];
    ggml_backend_t backends_[2] = {nullptr, nullptr};
    const KernelSet * kernels_ = nullptr;
    std::shared_ptr<Team> team_;
    bool takes_turns_ = false;
    mutable StageClock clock_;
};

// Tensors that outlive a graph: weights, caches, states. One context, one buffer.
class Storage {
public:
    explicit Storage(size_t max_tensors);
    ggml_context * context() const { return context_.get(); }
    // Allocates all tensors made in `context()`, zero-filled.
    void allocate(ggml_backend_buffer_type_t type);
    void clear();

private:
    ggml_context_ptr context_;
    ggml_backend_buffer_ptr buffer_;
};

} // namespace svc
