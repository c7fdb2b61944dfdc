#include "ggml-executor/weights/finite_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace svc {
namespace {

// No branch in the inner loop, so that the compiler can vectorize it.
template <typename Bits>
bool words_finite(const char * data, int64_t count, Bits exponent) {
    constexpr int64_t some = 4096;
    for (int64_t first = 0; first < count; first += some) {
        const int64_t last = std::min(count, first + some);
        Bits broken = 0;
        for (int64_t i = first; i < last; i++) {
            Bits bits;
            std::memcpy(&bits, data + i * static_cast<int64_t>(sizeof(Bits)), sizeof(Bits));
            broken |= static_cast<Bits>((bits & exponent) == exponent);
        }
        if (broken) return false;
    }
    return true;
}

constexpr uint16_t half_exponent = 0x7c00, bfloat_exponent = 0x7f80;
constexpr uint32_t float_exponent = 0x7f800000;

// Checks `count` float16 scales at offset `first` of each block.
bool scales_finite(ggml_type type, const char * data, int64_t elements, int first, int count) {
    const int64_t blocks = elements / ggml_blck_size(type), bytes = static_cast<int64_t>(ggml_type_size(type));
    uint16_t broken = 0;
    for (int64_t block = 0; block < blocks; block++) {
        for (int i = 0; i < count; i++) {
            uint16_t bits;
            std::memcpy(&bits, data + block * bytes + first + 2 * i, sizeof(bits));
            broken |= static_cast<uint16_t>((bits & half_exponent) == half_exponent);
        }
    }
    return !broken;
}

// Checks any other type by converting its values.
bool converted_finite(ggml_type type, const char * data, int64_t elements) {
    const int64_t some = std::max<int64_t>(ggml_blck_size(type), 4096);
    std::vector<float> values(some);
    for (int64_t first = 0; first < elements; first += some) {
        const int64_t count = std::min(some, elements - first);
        ggml_get_type_traits(type)->to_float(data + ggml_row_size(type, first), values.data(), count);
        if (!std::all_of(values.begin(), values.begin() + count, [](float value) { return std::isfinite(value); }))
            return false;
    }
    return true;
}

} // namespace

bool all_finite(ggml_type type, const char * data, int64_t elements) {
    switch (type) {
    case GGML_TYPE_F32: return words_finite<uint32_t>(data, elements, float_exponent);
    case GGML_TYPE_F16: return words_finite<uint16_t>(data, elements, half_exponent);
    case GGML_TYPE_BF16: return words_finite<uint16_t>(data, elements, bfloat_exponent);
    // offsets of scales and minima in ggml's blocks
    case GGML_TYPE_Q4_0:
    case GGML_TYPE_Q5_0:
    case GGML_TYPE_Q8_0: return scales_finite(type, data, elements, 0, 1);
    case GGML_TYPE_Q4_K:
    case GGML_TYPE_Q5_K: return scales_finite(type, data, elements, 0, 2);
    case GGML_TYPE_Q6_K: return scales_finite(type, data, elements, 208, 1);
    default: return converted_finite(type, data, elements);
    }
}

} // namespace svc
