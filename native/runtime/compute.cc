#include "runtime/compute.h"

#include <cstring>
#include <mutex>

#include "runtime/error.h"
#include "runtime/memory.h"

namespace svc {
namespace {

template <typename Function>
Function procedure(ggml_backend_t backend, const char * name) {
    const ggml_backend_reg_t registry = ggml_backend_dev_backend_reg(ggml_backend_get_device(backend));
    return reinterpret_cast<Function>(ggml_backend_reg_get_proc_address(registry, name));
}

// One pool a process: with a pool a model, the idle pools keep polling and slow the busy one down. Pools of a
// replaced size stay alive, because a model that was opened with them may still compute.
ggml_threadpool_t shared_threadpool(ggml_backend_t cpu, int threads) {
    static std::mutex mutex;
    static int pool_threads = 0;
    static ggml_threadpool_t pool = nullptr;
    std::lock_guard<std::mutex> lock(mutex);
    if (pool && pool_threads == threads) return pool;
    using NewPool = ggml_threadpool_t (*)(ggml_threadpool_params *);
    const auto new_pool = procedure<NewPool>(cpu, "ggml_threadpool_new");
    if (!new_pool) return nullptr;
    ggml_threadpool_params parameters = ggml_threadpool_params_default(threads);
    pool = new_pool(&parameters);
    pool_threads = threads;
    return pool;
}

void set_threads(ggml_backend_t backend, int threads) {
    if (const auto set = procedure<ggml_backend_set_n_threads_t>(backend, "ggml_backend_set_n_threads")) set(backend, threads);
    using SetPool = void (*)(ggml_backend_t, ggml_threadpool_t);
    const auto set_pool = procedure<SetPool>(backend, "ggml_backend_cpu_set_threadpool");
    if (!set_pool) return;
    if (const ggml_threadpool_t pool = shared_threadpool(backend, threads)) set_pool(backend, pool);
}

} // namespace

Compute::Compute(const std::string & device, int threads, const std::string & kernels) : device_(ggml_backend_dev_by_name(device.c_str())) {
    if (!device_) fail("BACKEND_UNAVAILABLE", "expected a device of this machine for device, received ", device);
    const bool cpu = ggml_backend_dev_type(device_) == GGML_BACKEND_DEVICE_TYPE_CPU;
    const ggml_backend_dev_t devices[2] = {device_, cpu ? nullptr : ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU)};
    if (cpu && kernels != "ggml") {
        kernels_ = find_kernels(kernels.empty() ? nullptr : kernels.c_str());
        if (!kernels_ && !kernels.empty()) fail("BACKEND_UNAVAILABLE", "expected kernels that this processor can run, received ", kernels);
    }
    if (kernels_) {
        team_ = Team::shared(threads);
        // what ggml computes between our kernels is too small to be divided
        threads = 1;
    }
    for (int i = 0; i < 2 && devices[i]; i++) {
        owned_[i].reset(ggml_backend_dev_init(devices[i], nullptr));
        backends_[i] = owned_[i].get();
        if (!backends_[i]) fail("BACKEND_UNAVAILABLE", "expected ", ggml_backend_dev_name(devices[i]), " to start, received a failure of its driver");
        set_threads(backends_[i], threads);
    }
}

Executor Compute::executor(size_t nodes) const {
    Executor executor;
    ggml_backend_t backends[2] = {backends_[0], backends_[1]};
    // A Vulkan backend writes only the descriptors that a shader uses; the others keep naming buffers of earlier
    // graphs. Mesa's lavapipe follows them, also into buffers that are gone, so every graph has a backend of its own.
    if (std::strcmp(ggml_backend_reg_name(ggml_backend_dev_backend_reg(device_)), "Vulkan") == 0) {
        executor.device.reset(ggml_backend_dev_init(device_, nullptr));
        if (!executor.device) fail("BACKEND_UNAVAILABLE", "expected ", ggml_backend_dev_name(device_), " to start, received a failure of its driver");
        backends[0] = executor.device.get();
    }
    executor.scheduler.reset(ggml_backend_sched_new(backends, nullptr, is_cpu() ? 1 : 2, nodes, false, false));
    return executor;
}

Storage::Storage(size_t max_tensors) {
    require_memory(ggml_tensor_overhead() * max_tensors);
    context_.reset(ggml_init({ggml_tensor_overhead() * max_tensors, nullptr, true}));
    if (!context_) fail("OUT_OF_MEMORY", "expected memory for ", max_tensors, " tensors, received none");
}

void Storage::allocate(ggml_backend_buffer_type_t type) {
    if (!ggml_get_first_tensor(context_.get())) return;
    buffer_.reset(ggml_backend_alloc_ctx_tensors_from_buft(context_.get(), type));
    if (!buffer_) fail("OUT_OF_MEMORY", "expected memory on ", ggml_backend_buft_name(type), ", received none");
    clear();
}

void Storage::clear() {
    if (buffer_) ggml_backend_buffer_clear(buffer_.get(), 0);
}

} // namespace svc
