#include "runtime/core_exchange.h"

#ifdef __linux__
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace svc {

#ifdef __linux__

namespace {

// The system moves a thread at once when it may no longer run where it is.
void move_to(int thread, int core) {
    cpu_set_t before, only;
    if (sched_getaffinity(thread, sizeof(before), &before) != 0 || !CPU_ISSET(core, &before)) return;
    CPU_ZERO(&only);
    CPU_SET(core, &only);
    if (sched_setaffinity(thread, sizeof(only), &only) == 0) sched_setaffinity(thread, sizeof(before), &before);
}

} // namespace

int current_thread() { return static_cast<int>(syscall(SYS_gettid)); }
int current_core() { return sched_getcpu(); }

void exchange_cores(int thread, int core) {
    const int own = current_core();
    if (own < 0 || core < 0 || own >= CPU_SETSIZE || core >= CPU_SETSIZE || own == core) return;
    move_to(thread, own);
    move_to(current_thread(), core);
}

#else

int current_thread() { return -1; }
int current_core() { return -1; }
void exchange_cores(int, int) {}

#endif

} // namespace svc
