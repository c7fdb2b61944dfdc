// Packing of ggml matrices for the CPU kernels.
#pragma once
#include <memory>
#include <vector>

#include "kernels/packed.h"

namespace svc {

// Memory in huge pages where the system gives them; freed with the last matrix that lives in it.
class HugeBuffer {
public:
    explicit HugeBuffer(size_t bytes);
    ~HugeBuffer();
    HugeBuffer(const HugeBuffer &) = delete;
    HugeBuffer & operator=(const HugeBuffer &) = delete;
    uint8_t * data() const { return data_; }

private:
    uint8_t * data_;
    size_t bytes_;
};

// A matrix in the file: `rows` rows of `depth` values of a ggml type.
struct MatrixSource {
    int type; // ggml_type
    const char * data;
    int rows;
};

struct PackedMatrix {
    Packed view;
    std::unique_ptr<HugeBuffer> memory;
};

// All rows of `sources` below each other, or, for a gate and an up matrix, tile by tile in turn.
enum class Arrangement { stacked, interleaved };
// Q8_0, Q4_0, Q4_K, F32, F16 and BF16 keep their values exactly; other types become float16. All sources have
// the same type, or are turned to float16. With `Activations::rounded`, BF16 becomes bf16_pairs (even depths only).
enum class Activations { exact, rounded };
PackedMatrix pack(const std::vector<MatrixSource> & sources, int depth, Arrangement arrangement = Arrangement::stacked, Activations activations = Activations::exact);

} // namespace svc
