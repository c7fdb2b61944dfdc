#include "ggml-executor/compute.h"

#include <cstdlib>
#include <cstring>

#include "runtime/error.h"
#include "runtime/memory.h"
#include "runtime/threads.h"

namespace svc {
namespace {

template <typename Function>
Function procedure(ggml_backend_t backend, const char * name) {
    const ggml_backend_reg_t registry = ggml_backend_dev_backend_reg(ggml_backend_get_device(backend));
    return reinterpret_cast<Function>(ggml_backend_reg_get_proc_address(registry, name));
}

void set_threads(ggml_backend_t backend, int threads) {
    if (const auto set = procedure<ggml_backend_set_n_threads_t>(backend, "ggml_backend_set_n_threads"))
        set(backend, threads);
}

// ggml's thread pool for one model: a pool computes one graph at a time, and every model computes on its own thread.
// Null for backends without threads.
ThreadPool make_threadpool(ggml_backend_t backend, int threads) {
    const auto make = procedure<ggml_threadpool_t (*)(ggml_threadpool_params *)>(backend, "ggml_threadpool_new");
    const auto release = procedure<void (*)(ggml_threadpool_t)>(backend, "ggml_threadpool_free");
    const auto use = procedure<void (*)(ggml_backend_t, ggml_threadpool_t)>(backend, "ggml_backend_cpu_set_threadpool");
    if (!make || !release || !use) return {nullptr, [](ggml_threadpool_t) {}};
    // ggml aborts the process when a thread can't be started
    require_threads(threads - 1);
    ggml_threadpool_params parameters = ggml_threadpool_params_default(threads);
    // threads that poll for the next graph would take cores from other models
    parameters.poll = 0;
    ThreadPool pool(make(&parameters), release);
    if (!pool) fail("OUT_OF_MEMORY", "not enough memory for ", threads, " threads");
    use(backend, pool.get());
    return pool;
}

} // namespace

Compute::Compute(const std::string & device, int threads, const std::string & kernels)
    : device_(ggml_backend_dev_by_name(device.c_str())) {
    if (!device_) fail("BACKEND_UNAVAILABLE", "unknown device \"", device, "\"");
    const bool cpu = ggml_backend_dev_type(device_) == GGML_BACKEND_DEVICE_TYPE_CPU;
    const ggml_backend_dev_t devices[2] = {
        device_, cpu ? nullptr : ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU)
    };
    if (cpu && kernels != "ggml") {
        kernels_ = find_kernels(kernels.empty() ? nullptr : kernels.c_str());
        if (!kernels_ && !kernels.empty())
            fail("BACKEND_UNAVAILABLE", "the addon has no kernels \"", kernels, "\" that this processor can run");
    }
    if (kernels_) {
        team_ = Team::shared(threads);
        // ggml's operations between our kernels are too small to split
        threads = 1;
    }
    for (int i = 0; i < 2 && devices[i]; i++) {
        owned_[i].reset(ggml_backend_dev_init(devices[i], nullptr));
        backends_[i] = owned_[i].get();
        if (!backends_[i])
            fail("BACKEND_UNAVAILABLE", "the driver of ", ggml_backend_dev_name(devices[i]), " failed to start");
        set_threads(backends_[i], threads);
        pools_[i] = make_threadpool(backends_[i], threads);
    }
    takes_turns_ = cpu && threads > 1;
    is_vulkan_ = std::strcmp(ggml_backend_reg_name(ggml_backend_dev_backend_reg(device_)), "Vulkan") == 0;
}

void Compute::lose_device(const std::string & problem) const {
    lost_ = problem.empty() ? "its driver failed" : problem;
    require_device();
    std::abort();
}

void Compute::require_device() const {
    if (!lost_.empty())
        fail(
            "DEVICE_LOST", "the device ", ggml_backend_dev_name(device_), " is lost (", lost_, "); open the model again"
        );
}

std::unique_lock<std::mutex> Compute::take_cores() const {
    return takes_turns_ ? std::unique_lock<std::mutex>(busy_cores()) : std::unique_lock<std::mutex>();
}

GraphExecutor Compute::graph_executor(size_t nodes) const {
    GraphExecutor executor;
    ggml_backend_t backends[2] = {backends_[0], backends_[1]};
    // A Vulkan backend writes only the descriptors that a shader uses; the others still point to buffers of earlier
    // graphs. Mesa's lavapipe follows them, even into freed buffers, so every graph gets its own backend.
    if (is_vulkan_) {
        executor.device.reset(ggml_backend_dev_init(device_, nullptr));
        if (!executor.device)
            fail("BACKEND_UNAVAILABLE", "the driver of ", ggml_backend_dev_name(device_), " failed to start");
        backends[0] = executor.device.get();
    }
    executor.scheduler.reset(ggml_backend_sched_new(backends, nullptr, is_cpu() ? 1 : 2, nodes, false, false));
    return executor;
}

Storage::Storage(size_t max_tensors) {
    require_memory(ggml_tensor_overhead() * max_tensors);
    context_.reset(ggml_init({ggml_tensor_overhead() * max_tensors, nullptr, true}));
    if (!context_) fail("OUT_OF_MEMORY", "not enough memory for ", max_tensors, " tensors");
}

void Storage::allocate(ggml_backend_buffer_type_t type) {
    if (!ggml_get_first_tensor(context_.get())) return;
    buffer_.reset(ggml_backend_alloc_ctx_tensors_from_buft(context_.get(), type));
    if (!buffer_) fail("OUT_OF_MEMORY", "not enough memory on ", ggml_backend_buft_name(type));
    clear();
}

void Storage::clear() {
    if (buffer_) ggml_backend_buffer_clear(buffer_.get(), 0);
}

} // namespace svc
