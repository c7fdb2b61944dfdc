// Room for what ggml allocates without looking at the result.
#pragma once
#include <cstddef>

namespace svc {

// Fails with OUT_OF_MEMORY when the process can't have `bytes` more, and some on top: ggml ends it where one of its many small
// allocations fails. Nothing is written, so this takes address space alone.
void require_memory(size_t bytes);

} // namespace svc
