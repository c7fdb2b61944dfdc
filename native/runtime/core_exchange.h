// Threads that change cores. Where other programs want the cores too, a thread may be interrupted for milliseconds while
// those that wait for it leave a core idle; the system moves it there too late or never.
#pragma once

namespace svc {

// A number of the calling thread, and the core that it runs on; -1 where threads can't be moved (only Linux lets a
// program choose).
int current_thread();
int current_core();

// Moves `thread`, last seen on `core`, to the core of the calling thread, and that to `core`. Both may run anywhere they
// could before.
void exchange_cores(int thread, int core);

} // namespace svc
