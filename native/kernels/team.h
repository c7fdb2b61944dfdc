// Threads that compute together: one team of each size a process, kept between jobs.
//
// A member that waits spins for some microseconds, which is what a wait takes on a quiet machine, and then gives
// its core away: on a busy machine the one it waits for may need that very core.
#pragma once
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace svc {

class Team {
public:
    // The team of the process with `threads` members, the caller of run() among them.
    static std::shared_ptr<Team> shared(int threads);
    // Fails with OUT_OF_MEMORY when the system refuses a thread.
    explicit Team(int threads);
    ~Team();
    Team(const Team &) = delete;
    Team & operator=(const Team &) = delete;

    int size() const { return size_; }
    // Calls job(data, member) on every member and returns when all are done. Callers on other threads take turns.
    using Job = void (*)(void * data, int member);
    void run(Job job, void * data);
    template <typename Body>
    void run(const Body & body) {
        run([](void * data, int member) { (*static_cast<const Body *>(data))(member); }, const_cast<Body *>(&body));
    }
    // Inside a job: returns when every member has called it.
    void barrier();

private:
    void loop(int member);
    void stop();

    const int size_;
    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable wake_;
    Job job_ = nullptr;
    void * data_ = nullptr;
    bool stopping_ = false;
    int sleeping_ = 0;
    // on cache lines of their own: every member polls them
    alignas(64) std::atomic<unsigned> started_{0};
    alignas(64) std::atomic<int> running_{0};
    alignas(64) std::atomic<int> arrived_{0};
    alignas(64) std::atomic<unsigned> phase_{0};
};

} // namespace svc
