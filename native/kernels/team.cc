#include "kernels/team.h"

#include <map>

#include "runtime/threads.h"

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace svc {
namespace {

void relax() {
#if defined(__x86_64__) || defined(_M_X64)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Waits until `ready` is true: spins briefly, then yields. Returns false after `patience` yields.
template <typename Ready>
bool wait_for(Ready ready, int patience) {
    for (int i = 0; i < 1000; i++) {
        if (ready()) return true;
        relax();
    }
    for (int i = 0; patience < 0 || i < patience; i++) {
        if (ready()) return true;
        std::this_thread::yield();
    }
    return false;
}

} // namespace

std::shared_ptr<Team> Team::shared(int threads) {
    static std::mutex mutex;
    // never destroyed: a model may still be loading when the process ends
    static auto & teams = *new std::map<int, std::weak_ptr<Team>>();
    std::lock_guard<std::mutex> lock(mutex);
    std::shared_ptr<Team> team = teams[threads].lock();
    if (!team) {
        team = std::make_shared<Team>(threads);
        teams[threads] = team;
    }
    return team;
}

Team::Team(int threads) : size_(threads) {
    try {
        for (int member = 1; member < size_; member++) threads_.emplace_back([this, member] { loop(member); });
    } catch (const std::exception &) {
        // the threads already started wait for a job: stop them before the members they wait on are destroyed
        stop();
        fail_to_start(size_ - 1);
    }
}

Team::~Team() { stop(); }

void Team::stop() {
    {
        std::lock_guard<std::mutex> lock(mutex_);
        stopping_ = true;
        started_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
    for (std::thread & thread : threads_) thread.join();
}

void Team::run(Job job, void * data) {
    if (size_ == 1) return job(data, 0);
    std::lock_guard<std::mutex> turn(busy_cores());
    bool sleepers;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        job_ = job;
        data_ = data;
        running_.store(size_ - 1, std::memory_order_relaxed);
        started_.fetch_add(1, std::memory_order_release);
        sleepers = sleeping_ > 0;
    }
    if (sleepers) wake_.notify_all();
    job(data, 0);
    wait_for([this] { return running_.load(std::memory_order_acquire) == 0; }, -1);
}

void Team::barrier() {
    if (size_ == 1) return;
    const unsigned phase = phase_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) == size_ - 1) {
        arrived_.store(0, std::memory_order_relaxed);
        phase_.store(phase + 1, std::memory_order_release);
        return;
    }
    wait_for([this, phase] { return phase_.load(std::memory_order_acquire) != phase; }, -1);
}

void Team::loop(int member) {
    unsigned seen = 0;
    for (;;) {
        const auto started = [this, &seen] { return started_.load(std::memory_order_acquire) != seen; };
        // while a graph is computed, jobs follow each other within microseconds
        if (!wait_for(started, 50)) {
            std::unique_lock<std::mutex> lock(mutex_);
            sleeping_++;
            wake_.wait(lock, started);
            sleeping_--;
        }
        seen = started_.load(std::memory_order_acquire);
        if (stopping_) return;
        job_(data_, member);
        running_.fetch_sub(1, std::memory_order_acq_rel);
    }
}

} // namespace svc
