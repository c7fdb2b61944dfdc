#include "cuda/driver_device.h"

#include "cuda/card_kernels.h"
#include "runtime/error.h"

namespace svc::cuda {
namespace {

constexpr int oldest_capability = 80;
// Graphs have programmatic edges since CUDA 12.3.
constexpr int dependent_capability = 90, dependent_cuda_version = 12030;
// Products of warpgroups are of one generation, and need PTX of ISA 8.0.
constexpr int warpgroup_capability = 90, warpgroup_cuda_version = 12000;

// Multiplications and additions in bfloat16 of a multiprocessor in a clock, by whole matrix instructions.
int operations_of(int capability) {
    if (capability >= 120) return 1024;
    if (capability >= 100) return 8192;
    if (capability >= 90) return 4096;
    if (capability > 80) return 1024;
    return capability == 80 ? 2048 : 0;
}

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

class CardClock : public Clock {
public:
    using Enqueue = std::function<void(std::function<void(unsigned flags)>)>;
    CardClock(CardContext & card, cuda::Stream stream, int points, Enqueue enqueue)
        : card_(card), stream_(stream), enqueue_(std::move(enqueue)), events_(points) {
        card_.enter();
        for (Event & event : events_) card_.check(card_.api.event_create(&event, 0), "cuEventCreate");
    }
    ~CardClock() override {
        for (Event event : events_) {
            if (event) card_.api.event_destroy(event);
        }
    }
    void mark(int point) override {
        enqueue_([this, event = events_[point]](unsigned flags) {
            card_.check(card_.api.event_record(event, stream_, flags), "cuEventRecord");
        });
    }
    double between(int from, int to) const override {
        float milliseconds = 0;
        card_.check(card_.api.event_elapsed(&milliseconds, events_[from], events_[to]), "cuEventElapsedTime");
        return milliseconds;
    }

private:
    CardContext & card_;
    cuda::Stream stream_;
    const Enqueue enqueue_;
    std::vector<Event> events_;
};

class CardQueue : public Queue {
public:
    CardQueue(CardContext & card, CardKernels & kernels, bool dependent)
        : card_(card), kernels_(kernels), dependent_(dependent) {
        card.check(card.api.stream_create(&stream_, without_default_stream), "cuStreamCreate");
    }
    ~CardQueue() override { card_.api.stream_destroy(stream_); }
    void upload(void * to, const void * from, size_t bytes) override {
        after_kernel_ = false;
        add([=, this] {
            card_.check(card_.api.upload(reinterpret_cast<Address>(to), from, bytes, stream_), "cuMemcpyHtoDAsync");
        });
    }
    void download(void * to, const void * from, size_t bytes) override {
        after_kernel_ = false;
        add([=, this] {
            card_.check(card_.api.download(to, reinterpret_cast<Address>(from), bytes, stream_), "cuMemcpyDtoHAsync");
        });
    }
    void launch(
        const std::string & kernel, Grid grid, int threads, size_t shared_bytes, const void * job, size_t job_bytes
    ) override {
        if (!recorded_) card_.enter();
        // a kernel can only depend programmatically on another kernel
        const bool dependent = dependent_ && recorded_ && after_kernel_;
        after_kernel_ = true;
        const LaunchConfig config = {
            .grid = {static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z)},
            .block = {static_cast<unsigned>(threads), 1, 1},
            .shared_bytes = static_cast<unsigned>(shared_bytes),
            .stream = stream_,
            .attributes = nullptr,
            .attribute_count = dependent ? 1u : 0u,
        };
        const char * bytes = static_cast<const char *>(job);
        // loaded here, as nothing is while work is captured
        add([this, kernel, config, function = kernels_.at(kernel),
             saved = std::vector<char>(bytes, bytes + job_bytes)] { start(kernel, function, config, saved); });
    }
    std::unique_ptr<Recording> record(const std::function<void()> & work) override {
        card_.enter();
        std::vector<std::function<void()>> recorded;
        recorded_ = &recorded;
        after_kernel_ = false;
        try {
            work();
        } catch (...) {
            recorded_ = nullptr;
            throw;
        }
        recorded_ = nullptr;
        return capture(recorded);
    }
    std::unique_ptr<Clock> make_clock(int points) override {
        return std::make_unique<CardClock>(card_, stream_, points, [this](std::function<void(unsigned)> mark) {
            after_kernel_ = false;
            const unsigned flags = recorded_ ? node_of_graph : 0;
            add([mark = std::move(mark), flags] { mark(flags); });
        });
    }
    void synchronize() override {
        card_.enter();
        card_.check(card_.api.stream_synchronize(stream_), "cuStreamSynchronize");
    }

private:
    void add(std::function<void()> work) {
        if (recorded_) recorded_->push_back(std::move(work));
        else work();
    }
    void start(
        const std::string & kernel, Function function, LaunchConfig config, const std::vector<char> & job
    ) const {
        LaunchAttribute attribute = {};
        attribute.id = programmatic_stream_serialization;
        attribute.value.flag = 1;
        config.attributes = &attribute;
        void * parameters[] = {const_cast<char *>(job.data())};
        card_.check(card_.api.launch(&config, function, parameters, nullptr), kernel.c_str());
    }
    std::unique_ptr<Recording> capture(const std::vector<std::function<void()>> & work) {
        card_.check(card_.api.capture_begin(stream_, capture_relaxed), "cuStreamBeginCapture");
        cuda::Graph graph = nullptr;
        try {
            for (const auto & part : work) part();
        } catch (...) {
            card_.api.capture_end(stream_, &graph);
            if (graph) card_.api.graph_destroy(graph);
            throw;
        }
        card_.check(card_.api.capture_end(stream_, &graph), "cuStreamEndCapture");
        GraphExec exec = nullptr;
        const Status status = card_.api.graph_instantiate(&exec, graph, 0);
        card_.api.graph_destroy(graph);
        card_.check(status, "cuGraphInstantiate");
        return std::make_unique<CardRecording>(card_, exec, stream_);
    }

    CardContext & card_;
    CardKernels & kernels_;
    const bool dependent_;
    cuda::Stream stream_ = nullptr;
    std::vector<std::function<void()>> * recorded_ = nullptr; // while work is recorded
    bool after_kernel_ = false;
};

class CardDevice : public Device {
public:
    CardDevice(const Card & card, const std::vector<std::string> & texts) : name_(card.name), context_(card) {
        const auto attribute = [&](int which) {
            int value = 0;
            context_.check(context_.api.device_attribute(&value, which, context_.index()), "cuDeviceGetAttribute");
            return value;
        };
        // the system keeps a kilobyte of each block
        limits_ = {attribute(multiprocessors), attribute(most_shared_bytes) - 1024, texts.size() > 1};
        dependent_ = card.capability >= dependent_capability && card.cuda_version >= dependent_cuda_version;
        kernels_ = std::make_unique<CardKernels>(context_, texts, limits_.shared_bytes);
    }
    std::string name() const override { return name_; }
    Limits limits() const override { return limits_; }
    double compile_milliseconds() const override { return kernels_->milliseconds(); }
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
    std::unique_ptr<CardKernels> kernels_;
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
    int version = 0;
    require(api.driver_version(&version), "cuDriverGetVersion");
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
        card.operations_per_second =
            1e3 * attribute(core_clock) * attribute(multiprocessors) * operations_of(card.capability);
        card.cuda_version = version;
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

std::vector<std::string> modules_for(const Card & card) {
    if (card.capability == warpgroup_capability && card.cuda_version >= warpgroup_cuda_version)
        return {"sm_90", "sm_90a"};
    if (card.capability >= dependent_capability) return {"sm_90"};
    if (card.capability >= oldest_capability) return {"sm_80"};
    fail(
        "BACKEND_UNAVAILABLE", "it has compute capability ", card.capability / 10, ".", card.capability % 10,
        ", older than 8.0 (Ampere)"
    );
}

std::unique_ptr<Device> open_card(const Card & card, const std::vector<std::string> & texts) {
    return std::make_unique<CardDevice>(card, texts);
}

} // namespace svc::cuda
