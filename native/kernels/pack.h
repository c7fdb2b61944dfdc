// Packs ggml matrices for the CPU kernels.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/packed.h"

namespace svc {

// Consecutive memory in huge pages where available, so that small matrices get them too. Untouched pages take no
// memory. Thread-safe; freed with the last matrix in it.
class HugeArena {
public:
    HugeArena() = default;
    ~HugeArena();
    HugeArena(const HugeArena &) = delete;
    HugeArena & operator=(const HugeArena &) = delete;
    // Aligned to 64 bytes.
    uint8_t * take(size_t bytes);

private:
    std::mutex mutex_;
    std::vector<uint8_t *> slabs_;
    size_t left_ = 0; // bytes left in the last slab
    uint8_t * next_ = nullptr;
};

// A matrix in the model file: `rows` rows of `depth` values of a ggml type.
struct MatrixSource {
    int type; // ggml_type
    const char * data;
    int rows;
};

struct PackedMatrix {
    Packed view;
    std::shared_ptr<HugeArena> memory;
};

// Stacks the rows of all sources, or interleaves the tiles of a gate and an up matrix.
enum class Arrangement { stacked, interleaved };
// Q8_0, Q4_0, Q4_K, F32, F16 and BF16 are packed exactly; other types, and sources of different types, become float16.
// With `Activations::rounded`, BF16 becomes bf16_pairs (even depths only).
enum class Activations { exact, rounded };
PackedMatrix pack(std::shared_ptr<HugeArena> arena, const std::vector<MatrixSource> & sources, int depth, Arrangement arrangement = Arrangement::stacked, Activations activations = Activations::exact);

} // namespace svc
