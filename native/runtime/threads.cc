#include "runtime/threads.h"

#include <condition_variable>
#include <thread>
#include <vector>

#include "runtime/error.h"

namespace svc {

std::mutex & busy_cores() {
    static std::mutex mutex;
    return mutex;
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
