// Types of the values of tensors in GGUF files.
#pragma once
#include <cstddef>
#include <cstdint>

namespace svc {

// The numbers are those of the format. Types without a name here occur in no file that a model can be loaded from.
enum class TensorType : uint32_t {
    f32 = 0,
    f16 = 1,
    q4_0 = 2,
    q5_0 = 6,
    q8_0 = 8,
    q4_k = 12,
    q5_k = 13,
    q6_k = 14,
    i32 = 26,
    bf16 = 30
};

struct TensorTypeTraits {
    const char * name; // as ggml's
    int values, bytes; // of a block
    bool quantized;
    // Whether weights can have the type; others are for activations, indices or are obsolete.
    bool weights;
};

// Null for an unknown type.
const TensorTypeTraits * traits_of(TensorType type);

// Converts `count` values, a multiple of a block, of the types that TensorType names, but for i32, to float32. Returns false for
// other types.
bool widen(TensorType type, const char * data, int64_t count, float * values);

} // namespace svc
