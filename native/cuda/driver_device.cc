#include "cuda/driver_device.h"

#include <atomic>
#include <map>

#include "cuda/driver.h"
#include "runtime/error.h"

namespace svc::cuda {
namespace {

constexpr int oldest_capability = 80, dependent_capability = 90;

std::string name_of(Status status) {
    const char * name = nullptr;
    driver().error_name(status, &name);
    return name ? name : "error " + std::to_string(status);
}

// The context of a card: current on the thread that uses it, and lost for good after a fault.
class CardContext {
public:
    explicit CardContext(const Card & card) : api(driver()) {
        require(api.device_get(&index_, card.ordinal));
        // a waiting thread leaves its core to others; fails harmlessly where another library uses the card
        api.primary_flags(index_, wait_without_spinning);
        require(api.primary_retain(&context_, index_));
        enter();
    }
    ~CardContext() { api.primary_release(index_); }
    void enter() {
        if (lost_) fail("DEVICE_LOST", "the GPU was lost");
        api.set_current(context_);
    }
    void check(Status status, const char * what) {
        if (status == 0) return;
        if (status == out_of_memory) {
            size_t free = 0, total = 0;
            api.memory_info(&free, &total);
            fail("OUT_OF_MEMORY", "the GPU has not enough memory (", free >> 20, " of ", total >> 20, " MiB free)");
        }
        lost_ = true;
        fail("DEVICE_LOST", "the GPU was lost: ", what, " failed with ", name_of(status));
    }
    DeviceIndex index() const { return index_; }

    const Driver & api;

private:
    void require(Status status) {
        if (status == out_of_memory) fail("OUT_OF_MEMORY", "the GPU has not enough memory for another process");
        if (status != 0) fail("BACKEND_UNAVAILABLE", "the NVIDIA driver cannot open the GPU: ", name_of(status));
    }
    DeviceIndex index_ = 0;
    Context context_ = nullptr;
    std::atomic<bool> lost_{false};
};

class CardRecording : public Recording {
public:
    CardRecording(CardContext & card, GraphExec exec, cuda::Stream stream)
        : card_(card), exec_(exec), stream_(stream) {}
    ~CardRecording() override { card_.api.graph_exec_destroy(exec_); }
    void run() override {
        card_.enter();
        card_.check(card_.api.graph_launch(exec_, stream_), "cuGraphLaunch");
    }

private:
    CardContext & card_;
    GraphExec exec_;
    cuda::Stream stream_;
};

// The kernels, found by name when they are first launched.
class Kernels {
public:
    Kernels(CardContext & card, const std::string & text, int shared_bytes) : card_(card), shared_bytes_(shared_bytes) {
        std::vector<char> log(8192);
        int names[] = {jit_error_log, jit_error_log_bytes};
        void * values[] = {log.data(), reinterpret_cast<void *>(log.size())};
        const Status status = card.api.module_load(&module_, text.c_str(), 2, names, values);
        if (status == out_of_memory) card.check(status, "cuModuleLoadDataEx");
        if (status != 0)
            fail(
                "BACKEND_UNAVAILABLE", "the NVIDIA driver cannot compile the kernels: ", name_of(status), " ",
                log.data()
            );
    }
    ~Kernels() { card_.api.module_unload(module_); }
    Function at(const std::string & name) {
        Function & found = functions_[name];
        if (!found) {
            card_.check(card_.api.module_function(&found, module_, name.c_str()), name.c_str());
            card_.check(card_.api.function_set(found, most_dynamic_shared_bytes, shared_bytes_), "cuFuncSetAttribute");
        }
        return found;
    }

private:
    CardContext & card_;
    const int shared_bytes_;
    Module module_ = nullptr;
    std::map<std::string, Function> functions_;
};

class CardQueue : public Queue {
public:
    CardQueue(CardContext & card, Kernels & kernels, bool dependent)
        : card_(card), kernels_(kernels), dependent_(dependent) {
        card.check(card.api.stream_create(&stream_, without_default_stream), "cuStreamCreate");
    }
    ~CardQueue() override { card_.api.stream_destroy(stream_); }
    void upload(void * to, const void * from, size_t bytes) override {
        card_.check(card_.api.upload(reinterpret_cast<Address>(to), from, bytes, stream_), "cuMemcpyHtoDAsync");
        after_kernel_ = false;
    }
    void download(void * to, const void * from, size_t bytes) override {
        card_.check(card_.api.download(to, reinterpret_cast<Address>(from), bytes, stream_), "cuMemcpyDtoHAsync");
        after_kernel_ = false;
    }
    void launch(
        const std::string & kernel, Grid grid, int threads, size_t shared_bytes, const void * job, size_t
    ) override {
        if (!recording_) card_.enter();
        LaunchAttribute attribute = {};
        attribute.id = programmatic_stream_serialization;
        attribute.value.flag = 1;
        // a kernel can only depend programmatically on another kernel
        const bool dependent = dependent_ && recording_ && after_kernel_;
        after_kernel_ = true;
        const LaunchConfig config = {
            .grid = {static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z)},
            .block = {static_cast<unsigned>(threads), 1, 1},
            .shared_bytes = static_cast<unsigned>(shared_bytes),
            .stream = stream_,
            .attributes = &attribute,
            .attribute_count = dependent ? 1u : 0u,
        };
        void * parameters[] = {const_cast<void *>(job)};
        card_.check(card_.api.launch(&config, kernels_.at(kernel), parameters, nullptr), kernel.c_str());
    }
    std::unique_ptr<Recording> record(const std::function<void()> & work) override {
        card_.enter();
        card_.check(card_.api.capture_begin(stream_, capture_relaxed), "cuStreamBeginCapture");
        recording_ = true;
        after_kernel_ = false;
        cuda::Graph graph = nullptr;
        try {
            work();
        } catch (...) {
            recording_ = false;
            card_.api.capture_end(stream_, &graph);
            if (graph) card_.api.graph_destroy(graph);
            throw;
        }
        recording_ = false;
        card_.check(card_.api.capture_end(stream_, &graph), "cuStreamEndCapture");
        GraphExec exec = nullptr;
        const Status status = card_.api.graph_instantiate(&exec, graph, 0);
        card_.api.graph_destroy(graph);
        card_.check(status, "cuGraphInstantiate");
        return std::make_unique<CardRecording>(card_, exec, stream_);
    }
    void synchronize() override {
        card_.enter();
        card_.check(card_.api.stream_synchronize(stream_), "cuStreamSynchronize");
    }

private:
    CardContext & card_;
    Kernels & kernels_;
    const bool dependent_;
    cuda::Stream stream_ = nullptr;
    bool recording_ = false, after_kernel_ = false;
};

class CardDevice : public Device {
public:
    CardDevice(const Card & card, const std::string & text) : name_(card.name), context_(card) {
        const auto attribute = [&](int which) {
            int value = 0;
            context_.check(context_.api.device_attribute(&value, which, context_.index()), "cuDeviceGetAttribute");
            return value;
        };
        // the system keeps a kilobyte of each block
        limits_ = {attribute(multiprocessors), attribute(most_shared_bytes) - 1024};
        dependent_ = card.capability >= dependent_capability;
        kernels_ = std::make_unique<Kernels>(context_, text, limits_.shared_bytes);
    }
    std::string name() const override { return name_; }
    Limits limits() const override { return limits_; }
    size_t free_bytes() const override {
        size_t free = 0, total = 0;
        context_.enter();
        context_.check(context_.api.memory_info(&free, &total), "cuMemGetInfo");
        return free;
    }
    void * allocate(size_t bytes) override {
        context_.enter();
        Address address = 0;
        context_.check(context_.api.allocate(&address, bytes), "cuMemAlloc");
        auto * memory = reinterpret_cast<void *>(address);
        clear(memory, bytes);
        return memory;
    }
    void release(void * memory) override {
        context_.api.free(reinterpret_cast<Address>(memory)); // a lost device has freed it
    }
    void * allocate_host(size_t bytes) override {
        context_.enter();
        void * memory = nullptr;
        context_.check(context_.api.allocate_host(&memory, bytes, 0), "cuMemHostAlloc");
        return memory;
    }
    void release_host(void * memory) override { context_.api.free_host(memory); }
    void write(void * to, const void * from, size_t bytes) override {
        wait();
        context_.check(context_.api.upload(reinterpret_cast<Address>(to), from, bytes, nullptr), "cuMemcpyHtoD");
        wait();
    }
    void read(void * to, const void * from, size_t bytes) override {
        wait();
        context_.check(context_.api.download(to, reinterpret_cast<Address>(from), bytes, nullptr), "cuMemcpyDtoH");
        wait();
    }
    void clear(void * to, size_t bytes) override {
        context_.check(context_.api.fill(reinterpret_cast<Address>(to), 0, bytes, nullptr), "cuMemsetD8");
        wait();
    }
    std::unique_ptr<Queue> make_queue() override {
        return std::make_unique<CardQueue>(context_, *kernels_, dependent_);
    }

private:
    void wait() {
        context_.enter();
        context_.check(context_.api.context_synchronize(), "cuCtxSynchronize");
    }

    const std::string name_;
    mutable CardContext context_;
    Limits limits_;
    bool dependent_ = false;
    std::unique_ptr<Kernels> kernels_;
};

} // namespace

std::vector<Card> cards() {
    const Driver & api = driver();
    const auto require = [](Status status, const char * what) {
        if (status != 0) fail("BACKEND_UNAVAILABLE", "the NVIDIA driver failed: ", what, ": ", name_of(status));
    };
    std::vector<Card> found;
    int count = 0;
    const Status started = api.init(0);
    if (started == no_device) return found;
    require(started, "cuInit");
    require(api.device_count(&count), "cuDeviceGetCount");
    for (int i = 0; i < count; i++) {
        DeviceIndex index;
        require(api.device_get(&index, i), "cuDeviceGet");
        const auto attribute = [&](int which) {
            int value = 0;
            require(api.device_attribute(&value, which, index), "cuDeviceGetAttribute");
            return value;
        };
        char name[256] = {}, place[32] = {};
        require(api.device_name(name, sizeof(name) - 1, index), "cuDeviceGetName");
        require(api.device_place(place, sizeof(place) - 1, index), "cuDeviceGetPCIBusId");
        Card card{.ordinal = i, .name = name, .place = place};
        card.capability = 10 * attribute(major_capability) + attribute(minor_capability);
        require(api.device_memory(&card.total_bytes, index), "cuDeviceTotalMem");
        // two transfers a clock
        card.bytes_per_second = 2e3 * attribute(memory_clock) * attribute(memory_width) / 8;
        found.push_back(card);
    }
    return found;
}

size_t free_bytes_of(const Card & card) {
    CardContext context(card);
    size_t free = 0, total = 0;
    if (context.api.memory_info(&free, &total) != 0) return 0;
    return free;
}

int module_for(const Card & card) {
    if (card.capability >= dependent_capability) return dependent_capability;
    if (card.capability >= oldest_capability) return oldest_capability;
    fail(
        "BACKEND_UNAVAILABLE", "it has compute capability ", card.capability / 10, ".", card.capability % 10,
        ", older than 8.0 (Ampere)"
    );
}

std::unique_ptr<Device> open_card(const Card & card, const std::string & text) {
    return std::make_unique<CardDevice>(card, text);
}

} // namespace svc::cuda
