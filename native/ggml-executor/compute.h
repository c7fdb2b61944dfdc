// The compute device, with the CPU as a fallback for operations that the device doesn't support.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "cpu-kernels/kernels.h"
#include "cpu-kernels/team.h"
#include "ggml-executor/ggml.h"
#include "ggml-executor/stage_clock.h"

namespace svc {

// Computes one graph; the scheduler must be destroyed before the backend it uses.
struct GraphExecutor {
    ggml_backend_ptr device;
    ggml_backend_sched_ptr scheduler;
};

using ThreadPool = std::unique_ptr<ggml_threadpool, void (*)(ggml_threadpool_t)>;

class Compute {
public:
    // `device` is a ggml device name. `kernels` names the CPU kernels; empty for the best for this processor, `ggml`
    // for ggml's. An unknown name fails with BACKEND_UNAVAILABLE.
    Compute(const std::string & device, int threads, const std::string & kernels = "");

    ggml_backend_dev_t device() const { return device_; }
    ggml_backend_buffer_type_t buffer_type() const { return ggml_backend_dev_buffer_type(device_); }
    bool is_cpu() const { return backends_[1] == nullptr; }
    // Our CPU kernels and the team that runs them; null where ggml's are used.
    const KernelSet * kernels() const { return kernels_; }
    Team & team() const { return *team_; }
    StageClock & clock() const { return clock_; }
    // Counts graphs that were built.
    void note_graph() const { graphs_.fetch_add(1, std::memory_order_relaxed); }
    uint32_t graphs() const { return graphs_; }
    // Whether a graph may be bound to tensors of other buffers than it was allocated with.
    bool rebinds() const { return !is_vulkan_; }
    bool supports(const ggml_tensor * op) const { return ggml_backend_dev_supports_op(device_, op); }
    // After a failure of its driver, the memory of a device can't be used anymore. Fail with DEVICE_LOST.
    [[noreturn]] void lose_device(const std::string & problem) const;
    void require_device() const;
    // Locks the cores while several ggml threads compute a graph.
    std::unique_lock<std::mutex> take_cores() const;
    // Splits a graph of up to `nodes` nodes between the device and the CPU.
    GraphExecutor graph_executor(size_t nodes) const;

private:
    ggml_backend_dev_t device_;
    // declared before the backends, which must be destroyed first
    ThreadPool pools_[2] = {{nullptr, nullptr}, {nullptr, nullptr}};
    ggml_backend_ptr owned_[2];
    ggml_backend_t backends_[2] = {nullptr, nullptr};
    const KernelSet * kernels_ = nullptr;
    std::shared_ptr<Team> team_;
    bool takes_turns_ = false;
    bool is_vulkan_ = false;
    mutable std::string lost_; // why
    mutable StageClock clock_;
    mutable std::atomic<uint32_t> graphs_{0};
};

// Tensors that outlive a graph: weights, caches, states, in one context and one buffer.
class Storage {
public:
    explicit Storage(size_t max_tensors);
    ggml_context * context() const { return context_.get(); }
    // Allocates all tensors of `context()`, zero-filled.
    void allocate(ggml_backend_buffer_type_t type);
    void clear();

private:
    ggml_context_ptr context_;
    ggml_backend_buffer_ptr buffer_;
};

} // namespace svc
