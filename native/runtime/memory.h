// Memory checks before ggml allocates without checking.
#pragma once
#include <cstddef>

namespace svc {

// Fails with OUT_OF_MEMORY unless the process can allocate `bytes` and a reserve: ggml aborts when one of its small
// allocations fails. Takes address space only, as nothing is written.
void require_memory(size_t bytes);

} // namespace svc
