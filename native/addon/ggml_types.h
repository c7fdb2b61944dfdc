// The types of ggml's tensors by name.
#pragma once
#include <string>

#include "ggml-executor/ggml.h"

namespace svc {

// Fails with INVALID_REQUEST for a name that ggml does not know, in small letters.
ggml_type find_type(const std::string & name);
// Whether values can be stored in it without further data.
bool can_quantize(ggml_type type);

} // namespace svc
