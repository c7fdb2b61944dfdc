// Threads that compute together: one team per size and process, kept between jobs.
//
// A waiting member spins for some microseconds, which is enough on an idle machine, and then yields its core: on a busy
// machine the member it waits for may need it.
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
    // The process's team with `threads` members, including the caller of run().
    static std::shared_ptr<Team> shared(int threads);
    // Fails with OUT_OF_MEMORY when the system refuses a thread.
    explicit Team(int threads);
    ~Team();
    Team(const Team &) = delete;
    Team & operator=(const Team &) = delete;

    int size() const { return size_; }
    // Calls job(data, member) on every member and returns when all are done. Calls from several threads take turns.
    using Job = void (*)(void * data, int member);
    void run(Job job, void * data);
    template <typename Body>
    void run(const Body & body) {
        run([](void * data, int member) { (*static_cast<const Body *>(data))(member); }, const_cast<Body *>(&body));
    }
    // Within a job: returns once every member has called it.
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
    // on separate cache lines: every member polls them
    alignas(64) std::atomic<unsigned> started_{0};
    alignas(64) std::atomic<int> running_{0};
    alignas(64) std::atomic<int> arrived_{0};
    alignas(64) std::atomic<unsigned> phase_{0};
};

} // namespace svc
