// Limits shared by all compute threads.
#pragma once
#include <mutex>

namespace svc {

// Held while several threads compute together, so that models take turns. Side by side, each would wait at its barriers
// for threads that the other keeps from running.
std::mutex & busy_cores();

// Gives new threads stacks as large as glibc's. On musl they have 128 KiB, too few for the recursions over a graph.
void enlarge_stacks();

// Fails with OUT_OF_MEMORY unless the process can start `count` more threads; ggml would abort.
void require_threads(int count);

// Fails with OUT_OF_MEMORY for `count` threads.
[[noreturn]] void fail_to_start(int count);

} // namespace svc
