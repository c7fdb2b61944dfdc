// Validates the header of a GGUF file before ggml parses it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace svc {

// Walks the header in `size` bytes at `data` once: ggml aborts on a value of an unexpected type and compares every name
// with every other. Fails with MODEL_INVALID.
void check_gguf_header(const char * data, size_t size, const std::string & path);

// Size of a scalar type of GGUF in bytes; 0 for other types.
size_t gguf_scalar_bytes(uint32_t type);

} // namespace svc
