// What ggml's reader takes for granted about the header of a GGUF file.
#pragma once
#include <cstddef>
#include <string>

namespace svc {

// Walks the header in `size` bytes at `data` once, before ggml does: ggml ends the process where a value has another type
// than it expects, and compares every name with every other. Fails with MODEL_INVALID.
void check_gguf_header(const char * data, size_t size, const std::string & path);

} // namespace svc
