#include "cpu-kernels/team.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "runtime/core_exchange.h"
#include "runtime/threads.h"

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace svc {
namespace {

// Nanoseconds that a member spins before it sleeps: a wake-up takes tens of microseconds.
constexpr int64_t patience = 100'000;

void relax() {
#if defined(__x86_64__) || defined(_M_X64)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// Whether phase a comes after phase b; numbers wrap.
bool after(uint32_t a, uint32_t b) { return static_cast<int32_t>(a - b) > 0; }

} // namespace

std::shared_ptr<Team> Team::shared(int threads) {
    static std::mutex mutex;
    // never destroyed: a model may still be loading when the process ends
    static auto & teams = *new std::map<int, std::weak_ptr<Team>>();
    // one alone needs no turns
    if (threads == 1) return std::make_shared<Team>(1);
    std::lock_guard<std::mutex> lock(mutex);
    std::shared_ptr<Team> team = teams[threads].lock();
    if (!team) {
        team = std::make_shared<Team>(threads);
        teams[threads] = team;
    }
    return team;
}

Team::Team(int threads) : size_(threads), places_(new Place[threads]) {
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
        started_.fetch_add(1);
    }
    woken_.notify_all();
    for (std::thread & thread : threads_) thread.join();
}

void Team::wake() {
    if (sleeping_.load() == 0) return;
    // a member that found nothing sleeps before this lock is taken
    {
        std::lock_guard<std::mutex> lock(mutex_);
    }
    woken_.notify_all();
}

// Whether the condition became true while the member was patient.
bool Team::spin(Condition ready, uint32_t since) const {
    const int64_t end = now() + patience;
    do {
        for (int i = 0; i < 20; i++) {
            if (ready(*this, since)) return true;
            relax();
        }
    } while (now() < end);
    return false;
}

void Team::sleep(std::unique_lock<std::mutex> & lock, int index, Condition ready, uint32_t since) {
    sleeping_.fetch_add(1);
    lock.unlock();
    if (!ready(*this, since)) make_room(index);
    lock.lock();
    woken_.wait(lock, [&] { return ready(*this, since); });
    sleeping_.fetch_sub(1);
}

// The caller has nothing to do: a member that others need may be waiting for a core.
void Team::make_room(int index) const {
    for (int other = 0; other < size_; other++) {
        const Place & place = places_[other];
        if (other == index || !place.needed.load(std::memory_order_relaxed)) continue;
        exchange_cores(place.thread.load(std::memory_order_relaxed), place.core.load(std::memory_order_relaxed));
        return;
    }
}

// Counts the units that the member has done. The last of the phase end it.
void Team::report(Member & member, int count) {
    const int done = std::exchange(member.done, 0);
    if (done == 0 || done_.fetch_add(done, std::memory_order_acq_rel) + done != count) return;
    done_.store(0, std::memory_order_relaxed);
    phase_.store(member.phase + 1);
    wake();
}

void Team::wait_for_phase(const Member & member, uint32_t phase) {
    const auto over = [](const Team & team, uint32_t since) {
        return after(team.phase_.load(std::memory_order_acquire), since);
    };
    if (spin(over, phase)) return;
    std::unique_lock<std::mutex> lock(mutex_);
    if (member.index == 0) {
        // only it can end the job
        places_[0].needed = true;
        sleep(lock, 0, over, phase);
        places_[0].needed = false;
        return;
    }
    // the others need not wait for one that sleeps
    const uint32_t job = started_.load();
    if (inside_.fetch_sub(1) == 1 && !open_) woken_.notify_all();
    sleep(lock, member.index, over, phase);
    if (!open_ || started_.load() != job) throw JobOver();
    inside_.fetch_add(1);
}

void Team::run(Job job, void * data) {
    std::unique_lock<std::mutex> turn(busy_cores(), std::defer_lock);
    if (size_ > 1) turn.lock();
    // before the others may begin
    const uint32_t phase = phase_.load();
    if (size_ > 1) {
        places_[0].thread = current_thread();
        {
            std::lock_guard<std::mutex> lock(mutex_);
            job_ = job;
            data_ = data;
            open_ = true;
            first_phase_ = phase;
            started_.fetch_add(1);
        }
        wake();
    }
    Member caller{*this, 0, size_, phase};
    job(data, caller);
    if (size_ == 1) return;
    std::unique_lock<std::mutex> lock(mutex_);
    open_ = false;
    lock.unlock();
    const auto alone = [](const Team & team, uint32_t) { return team.inside_.load() == 0; };
    if (spin(alone, 0)) return;
    lock.lock();
    sleep(lock, 0, alone, 0);
}

void Team::loop(int index) {
    const auto started = [](const Team & team, uint32_t since) { return team.started_.load() != since; };
    places_[index].thread = current_thread();
    uint32_t seen = 0;
    for (;;) {
        const bool soon = spin(started, seen);
        std::unique_lock<std::mutex> lock(mutex_);
        if (!soon) sleep(lock, index, started, seen);
        seen = started_.load();
        if (stopping_) return;
        if (!open_) continue;
        inside_.fetch_add(1);
        Member member{*this, index, size_, first_phase_};
        const Job job = job_;
        void * data = data_;
        lock.unlock();
        try {
            job(data, member);
        } catch (const JobOver &) {
            continue;
        }
        if (inside_.fetch_sub(1) == 1) wake();
    }
}

int take_unit(Member & member, int count) {
    Team & team = member.team;
    Team::Place & own = team.places_[member.index];
    if (own.slowness != 1 && own.unit_began != 0) {
        const int64_t end =
            own.unit_began + static_cast<int64_t>(own.slowness * static_cast<double>(now() - own.unit_began));
        while (now() < end) relax();
    }
    for (int i = 0; i < member.size; i++) {
        if (i == 1) {
            // not after the search, which takes long among many members
            team.report(member, count);
            if (after(team.phases(), member.phase)) break;
        }
        const int whose = (member.index + i) % member.size;
        const int first = part_start(count, whose, member.size),
                  units = part_start(count, whose + 1, member.size) - first;
        std::atomic<uint64_t> & taken = team.places_[whose].taken;
        uint64_t seen = taken.load(std::memory_order_acquire);
        for (;;) {
            const auto phase = static_cast<uint32_t>(seen >> 32);
            const bool begun = phase == member.phase;
            const int front = begun ? static_cast<int>(seen >> 16 & 0xffff) : 0,
                      back = begun ? static_cast<int>(seen & 0xffff) : 0;
            // if it is a later phase, this member was kept from running
            if (after(phase, member.phase) || front + back >= units) break;
            const bool steal = i > 0;
            const uint64_t next = static_cast<uint64_t>(member.phase) << 32 |
                static_cast<uint64_t>(front + !steal) << 16 | static_cast<uint64_t>(back + steal);
            if (!own.needed.load(std::memory_order_relaxed)) {
                own.core.store(current_core(), std::memory_order_relaxed);
                own.needed.store(true, std::memory_order_relaxed);
            }
            if (taken.compare_exchange_weak(seen, next, std::memory_order_acq_rel, std::memory_order_acquire)) {
                if (own.slowness != 1) own.unit_began = now();
                return steal ? first + units - 1 - back : first + front;
            }
        }
    }
    own.unit_began = 0;
    own.needed.store(false, std::memory_order_relaxed);
    return -1;
}

void end_phase(Member & member, int count) {
    member.team.report(member, count);
    const uint32_t phase = member.phase++;
    if (!after(member.team.phase_.load(std::memory_order_acquire), phase)) member.team.wait_for_phase(member, phase);
}

} // namespace svc
