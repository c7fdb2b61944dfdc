#include "simt/simt_device.h"

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "cuda/simt/model.h"
#include "runtime/error.h"

namespace svc::cuda {
namespace {

using Work = std::function<void()>;

struct SimtRecording : Recording {
    std::vector<Work> work;
    void run() override {
        for (const Work & part : work) part();
    }
};

using Moment = std::chrono::steady_clock::time_point;

class SimtClock : public Clock {
public:
    SimtClock(int points, std::function<void(Work)> add) : moments_(points), add_(std::move(add)) {}
    void mark(int point) override {
        add_([this, point] { moments_[point] = std::chrono::steady_clock::now(); });
    }
    double between(int from, int to) const override {
        return std::chrono::duration<double, std::milli>(moments_[to] - moments_[from]).count();
    }

private:
    std::vector<Moment> moments_;
    const std::function<void(Work)> add_;
};

class SimtQueue : public Queue {
public:
    explicit SimtQueue(const Limits & limits) : limits_(limits) {}
    void upload(void * to, const void * from, size_t bytes) override { copy(to, from, bytes); }
    void download(void * to, const void * from, size_t bytes) override { copy(to, from, bytes); }
    void launch(
        const std::string & kernel, Grid grid, int threads, size_t shared_bytes, const void * job, size_t job_bytes
    ) override {
        const model::Kernel & found = model::find_kernel(kernel.c_str());
        if (found.job_bytes != job_bytes || shared_bytes > static_cast<size_t>(limits_.shared_bytes)) std::abort();
        const std::vector<char> saved(static_cast<const char *>(job), static_cast<const char *>(job) + job_bytes);
        add([this, &found, grid, threads, shared_bytes, saved] {
            const int sizes[3] = {grid.x, grid.y, grid.z};
            order_ = order_ * 1664525u + 1013904223u;
            model::launch(found, sizes, threads, shared_bytes, saved.data(), order_);
        });
    }
    std::unique_ptr<Recording> record(const std::function<void()> & work) override {
        auto recording = std::make_unique<SimtRecording>();
        recording_ = recording.get();
        work();
        recording_ = nullptr;
        return recording;
    }
    std::unique_ptr<Clock> make_clock(int points) override {
        return std::make_unique<SimtClock>(points, [this](Work work) { add(std::move(work)); });
    }
    void synchronize() override {}

private:
    void copy(void * to, const void * from, size_t bytes) {
        add([=] { std::memcpy(to, from, bytes); });
    }
    void add(Work work) {
        if (recording_) recording_->work.push_back(std::move(work));
        else work();
    }

    const Limits limits_;
    SimtRecording * recording_ = nullptr;
    unsigned order_ = 1;
};

class SimtDevice : public Device {
public:
    explicit SimtDevice(const Limits & limits) : limits_(limits) {}
    std::string name() const override { return "SIMT model"; }
    Limits limits() const override { return limits_; }
    size_t free_bytes() const override { return size_t{8} << 30; }
    void * allocate(size_t bytes) override { return take(bytes); }
    void release(void * memory) override { std::free(memory); }
    void * allocate_host(size_t bytes) override { return take(bytes); }
    void release_host(void * memory) override { std::free(memory); }
    void write(void * to, const void * from, size_t bytes) override { std::memcpy(to, from, bytes); }
    void read(void * to, const void * from, size_t bytes) override { std::memcpy(to, from, bytes); }
    void clear(void * to, size_t bytes) override { std::memset(to, 0, bytes); }
    std::unique_ptr<Queue> make_queue() override { return std::make_unique<SimtQueue>(limits_); }

private:
    static void * take(size_t bytes) {
        const size_t whole = (bytes + 255) / 256 * 256;
        void * memory = std::aligned_alloc(256, whole);
        if (!memory) fail("OUT_OF_MEMORY", "not enough memory for the SIMT model");
        return std::memset(memory, 0, whole);
    }
    const Limits limits_;
};

} // namespace

std::unique_ptr<Device> make_simt_device(const Limits & limits) { return std::make_unique<SimtDevice>(limits); }

} // namespace svc::cuda
