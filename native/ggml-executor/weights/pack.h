// Packs ggml matrices for the CPU kernels.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "cpu-kernels/packed.h"
#include "model/description/network.h"

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
    int first = 0; // row that `data` starts at
};

struct PackedMatrix {
    Packed view;
    std::shared_ptr<HugeArena> memory;
};

// Q8_0, Q4_0, Q4_K, F32, F16 and BF16 are packed exactly; other types, and sources of different types, become float16.
// With `Activations::rounded`, BF16 becomes bf16_pairs (even depths only). With `Activations::many`, for products of so
// many columns that arithmetic limits them, Q4_K becomes i8_per_row.
enum class Activations { exact, rounded, many };
// Describes a packed matrix and takes its memory; pack_tiles() fills it.
PackedMatrix plan_packed(
    std::shared_ptr<HugeArena> arena, const ByteOrder & order, const std::vector<MatrixSource> & sources, int depth,
    Arrangement arrangement, Activations activations
);
// The rows of one source that tiles [first, last) are made of.
struct RowRange {
    int first, last;
};
RowRange rows_in_tiles(
    const std::vector<MatrixSource> & sources, Arrangement arrangement, size_t which, int first, int last
);
// Packs tiles [first, last), of which each source holds the rows. Returns the first source with infinity or NaN in
// these rows, or nullptr.
const MatrixSource * pack_tiles(
    const Packed & matrix, const std::vector<MatrixSource> & sources, Arrangement arrangement, int first, int last
);
// All of a matrix.
PackedMatrix pack(
    std::shared_ptr<HugeArena> arena, const ByteOrder & order, const std::vector<MatrixSource> & sources, int depth,
    Arrangement arrangement = Arrangement::stacked, Activations activations = Activations::exact
);

} // namespace svc
