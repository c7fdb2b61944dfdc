#include "addon/ggml_types.h"

#include <algorithm>

#include "runtime/error.h"

namespace svc {

ggml_type find_type(const std::string & name) {
    for (int i = 0; i < GGML_TYPE_COUNT; i++) {
        std::string candidate =
            ggml_type_name(static_cast<ggml_type>(i)) ? ggml_type_name(static_cast<ggml_type>(i)) : "";
        std::transform(candidate.begin(), candidate.end(), candidate.begin(), [](unsigned char character) {
            return std::tolower(character);
        });
        if (candidate == name) return static_cast<ggml_type>(i);
    }
    fail("INVALID_REQUEST", "unknown ggml type \"", name, "\"");
}

bool can_quantize(ggml_type type) {
    if (type == GGML_TYPE_F32 || type == GGML_TYPE_F16 || type == GGML_TYPE_BF16) return true;
    return ggml_is_quantized(type) && !ggml_quantize_requires_imatrix(type);
}

} // namespace svc
