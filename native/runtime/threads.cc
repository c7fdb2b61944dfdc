#include "runtime/threads.h"

#if defined(__linux__)
#include <pthread.h>
#endif

#include <condition_variable>
#include <thread>
#include <vector>

#include "runtime/error.h"

namespace svc {

std::mutex & busy_cores() {
    static std::mutex mutex;
    return mutex;
}

void enlarge_stacks() {
#if defined(__linux__) && !defined(__GLIBC__)
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 8 << 20);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
#endif
}

void require_threads(int count) {
    std::mutex mutex;
    std::condition_variable wake;
    bool ended = false;
    std::vector<std::thread> threads;
    const auto end = [&] {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            ended = true;
        }
        wake.notify_all();
        for (std::thread & thread : threads) thread.join();
    };
    try {
        // all at the same time
        for (int i = 0; i < count; i++) {
            threads.emplace_back([&] {
                std::unique_lock<std::mutex> lock(mutex);
                wake.wait(lock, [&] { return ended; });
            });
        }
    } catch (const std::exception &) {
        end();
        fail_to_start(count);
    }
    end();
}

void fail_to_start(int count) {
    fail(
        "OUT_OF_MEMORY", "cannot start ", count, count == 1 ? " thread" : " threads",
        "; use fewer threads or raise the process and memory limits"
    );
}

} // namespace svc
