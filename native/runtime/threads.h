// What is common to all threads that compute.
#pragma once
#include <mutex>

namespace svc {

// Held while several threads compute together: the work of two models takes turns. Side by side each would wait at its
// barriers for threads that the other one keeps from running.
std::mutex & busy_cores();

// Fails with OUT_OF_MEMORY unless this process can start `count` more threads: ggml aborts the process when it can't.
void require_threads(int count);

// The failure to start `count` threads.
[[noreturn]] void fail_to_start(int count);

} // namespace svc
