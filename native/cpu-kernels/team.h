// Threads that compute together: one team per size and process, kept between jobs.
//
// A job is a sequence of phases, each divided into units. Every member starts with its own part of the units, which are
// neighbors in memory, and then takes what others have left, so that a member whose processor is slow delays no other for
// longer than the unit it computes. A phase ends when its units are done, whether or not every member has come to it:
// one that was kept from running skips what is done, and leaves if the job is over.
//
// Where other programs want the cores, a member may be interrupted in the middle of a unit, and all others wait for it.
// One of them then gives it its core.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "cpu-kernels/member.h"

namespace svc {

class Team {
public:
    // The process's team with `threads` members, including the caller of run(); a team of one for each model.
    static std::shared_ptr<Team> shared(int threads);
    // Fails with OUT_OF_MEMORY when the system refuses a thread.
    explicit Team(int threads);
    ~Team();
    Team(const Team &) = delete;
    Team & operator=(const Team &) = delete;

    int size() const { return size_; }
    // Calls job(data, member) on the caller and on the members that are free, and returns when all of these are done.
    // The job must share its work by phases. Calls from several threads take turns.
    using Job = void (*)(void * data, Member & member);
    void run(Job job, void * data);
    template <typename Body>
    void run(const Body & body) {
        run([](void * data, Member & member) { (*static_cast<const Body *>(data))(member); },
            const_cast<Body *>(&body));
    }
    // Number of phases that have ended; it wraps.
    uint32_t phases() const { return phase_.load(std::memory_order_relaxed); }
    // For measurements: a member takes so many times as long for each unit, as on a slower core.
    void slow_down(int member, double factor) { places_[member].slowness = factor; }

private:
    friend int take_unit(Member & member, int count);
    friend void end_phase(Member & member, int count);

    // On a cache line of its own.
    struct alignas(64) Place {
        // number of the phase (32 bits), units taken from the front (16) and from the back (16) of the member's part
        std::atomic<uint64_t> taken{0};
        std::atomic<int> thread{-1}, core{-1}; // where the member was when it took a unit
        std::atomic<bool> needed{false};       // others can't continue without it
        // these belong to the member
        double slowness = 1;
        int64_t unit_began = 0;
    };
    // Thrown in a member that slept in a job until it was over.
    struct JobOver {};
    using Condition = bool (*)(const Team & team, uint32_t since);

    void loop(int index);
    void stop();
    bool spin(Condition ready, uint32_t since) const;
    void sleep(std::unique_lock<std::mutex> & lock, int index, Condition ready, uint32_t since);
    void report(Member & member, int count);
    void wait_for_phase(const Member & member, uint32_t phase);
    void make_room(int index) const;
    void wake();

    const int size_;
    std::unique_ptr<Place[]> places_;
    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable woken_;
    // guarded by mutex_
    Job job_ = nullptr;
    void * data_ = nullptr;
    bool open_ = false; // whether members may come to the job
    bool stopping_ = false;
    uint32_t first_phase_ = 0;
    // on separate cache lines: members poll them
    alignas(64) std::atomic<uint32_t> started_{0}; // jobs
    alignas(64) std::atomic<uint32_t> phase_{0};
    alignas(64) std::atomic<int> done_{0};   // units of the phase
    alignas(64) std::atomic<int> inside_{0}; // members in the job, without the caller
    alignas(64) std::atomic<int> sleeping_{0};
};

} // namespace svc
