// Whether the values of a tensor in a file are numbers.
#pragma once
#include <cstdint>

#include "runtime/ggml.h"

namespace svc {

// Looks for infinities and NaN in `elements` values, of block types in their scales alone: a few bytes in each hundred.
bool all_finite(ggml_type type, const char * data, int64_t elements);

} // namespace svc
