// Checks weights for NaN and infinity.
#pragma once
#include <cstdint>

#include "ggml-executor/ggml.h"

namespace svc {

// Whether `elements` values are finite. Only the scales of block types are checked, a few percent of their bytes.
bool all_finite(ggml_type type, const char * data, int64_t elements);

} // namespace svc
