// Memory of the process: checks before ggml allocates without checking, and the return of freed memory.
#pragma once
#include <cstddef>

namespace svc {

// Fails with OUT_OF_MEMORY unless the process can allocate `bytes` and a reserve: ggml aborts when one of its small
// allocations fails. Takes address space only, as nothing is written.
void require_memory(size_t bytes);

// Returns freed memory to the system. The C library keeps most of it, per thread, for later allocations.
void return_freed_memory();

} // namespace svc
