// Where kernels run: a GPU, or the SIMT model on the processor. Launches name a kernel and give it one plain struct.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace svc::cuda {

struct Grid {
    int x = 1, y = 1, z = 1;
};

// What decides how a product is divided.
struct Limits {
    int multiprocessors = 132;
    int shared_bytes = 227 * 1024; // of a block
    bool warpgroups = false;       // whether it has their products
};

// Launches and copies recorded once and run many times.
class Recording {
public:
    virtual ~Recording() = default;
    // Starts it on its queue.
    virtual void run() = 0;
};

// Times of points in the work of a queue.
class Clock {
public:
    virtual ~Clock() = default;
    // Notes when the device gets here; in a recording, each time that it runs.
    virtual void mark(int point) = 0;
    // Milliseconds from one point to another, after the queue is done.
    virtual double between(int from, int to) const = 0;
};

// Work in order. Errors of work appear in synchronize() at the latest: DEVICE_LOST, which is final for the device.
class Queue {
public:
    virtual ~Queue() = default;
    // Both within a recording only; host memory is from Device::allocate_host().
    virtual void upload(void * to, const void * from, size_t bytes) = 0;
    virtual void download(void * to, const void * from, size_t bytes) = 0;
    virtual void launch(
        const std::string & kernel, Grid grid, int threads, size_t shared_bytes, const void * job, size_t job_bytes
    ) = 0;
    virtual std::unique_ptr<Recording> record(const std::function<void()> & work) = 0;
    virtual std::unique_ptr<Clock> make_clock(int points) = 0;
    // Waits for all work.
    virtual void synchronize() = 0;

    template <typename Job>
    void launch(const std::string & kernel, Grid grid, int threads, size_t shared_bytes, const Job & job) {
        launch(kernel, grid, threads, shared_bytes, &job, sizeof(job));
    }
};

class Device {
public:
    virtual ~Device() = default;
    virtual std::string name() const = 0;
    virtual Limits limits() const = 0;
    // Milliseconds so far in which kernels were made ready, each when it was first used. On any thread.
    virtual double compile_milliseconds() const { return 0; }
    // Bytes of free memory.
    virtual size_t free_bytes() const = 0;
    // Zeroed; fails with OUT_OF_MEMORY.
    virtual void * allocate(size_t bytes) = 0;
    virtual void release(void * memory) = 0;
    virtual void * allocate_host(size_t bytes) = 0;
    virtual void release_host(void * memory) = 0;
    // At once, after all work of all queues.
    virtual void write(void * to, const void * from, size_t bytes) = 0;
    virtual void read(void * to, const void * from, size_t bytes) = 0;
    virtual void clear(void * to, size_t bytes) = 0;
    virtual std::unique_ptr<Queue> make_queue() = 0;
};

// Memory that is released together.
class Arena {
public:
    explicit Arena(Device & device) : device_(&device) {}
    ~Arena();
    Arena(const Arena &) = delete;
    Arena & operator=(const Arena &) = delete;

    // Zeroed.
    template <typename Value>
    Value * array(size_t count) {
        return static_cast<Value *>(take(count * sizeof(Value)));
    }
    template <typename Value>
    Value * copy(const std::vector<Value> & values) {
        Value * to = array<Value>(values.size());
        device_->write(to, values.data(), values.size() * sizeof(Value));
        return to;
    }
    template <typename Value>
    Value * host(size_t count) {
        host_.push_back(device_->allocate_host(count * sizeof(Value)));
        return static_cast<Value *>(host_.back());
    }
    size_t bytes() const { return bytes_; }

private:
    void * take(size_t bytes);

    Device * device_;
    std::vector<void *> device_memory_, host_;
    size_t bytes_ = 0;
};

template <typename Value>
std::vector<Value> read_array(Device & device, const Value * from, size_t count) {
    std::vector<Value> values(count);
    device.read(values.data(), from, count * sizeof(Value));
    return values;
}

} // namespace svc::cuda
