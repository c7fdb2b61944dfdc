// The tensors of a GGUF file on the compute device.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ggml-executor/weights/pack.h"
#include "model/file/gguf_file.h"
#include "ggml-executor/compute.h"

namespace svc {

// A weight matrix: packed for our CPU kernels, or a ggml tensor.
struct Matrix {
    std::string name; // of the tensor, without ".weight"
    int64_t in = 0, out = 0;
    ggml_tensor * tensor = nullptr;
    std::shared_ptr<PackedMatrix> packed = nullptr; // filled by upload()
};

// Matrices with the same input: packed as one for our CPU kernels, or a ggml tensor each.
struct FusedMatrix {
    std::vector<Matrix> parts;
    std::shared_ptr<PackedMatrix> packed = nullptr;
};

// Places of the rows or columns of a matrix in a tensor: `step` values from one to the next, and `far` values from each
// group of `group` to the next.
struct Places {
    int64_t step;
    int64_t group = INT64_MAX, far = 0;
    int64_t at(int64_t i) const { return i / group * far + i % group * step; }
};

// Stages request their tensors during construction; upload() then loads them, and nothing but `rows` is read from the file
// after that.
class Weights {
public:
    // Matrices whose names start with `many`, unless empty, are packed for many columns; see Activations.
    Weights(const GgufFile & file, const Compute & compute, const std::string & many = "");

    bool has(const std::string & name) const { return file_.find(name) != nullptr; }
    const GgufFile & file() const { return file_; }

    // `out` rows of `in` values, in the type of the file. Names of matrices are without ".weight".
    Matrix matrix(const std::string & name, int64_t in, int64_t out);
    // A copy of a matrix, in the type of the file.
    ggml_tensor * table(const std::string & name, int64_t in, int64_t out);
    // A matrix that stays in the file: see TokenTable.
    const TensorInfo & rows(const std::string & name, int64_t in, int64_t out);
    // Whether matrices are packed for our CPU kernels.
    bool packs() const { return compute_.kernels() != nullptr; }
    // `arrangement` for our CPU kernels.
    FusedMatrix fused(const std::vector<MatrixName> & parts, Arrangement arrangement);
    // A vector, converted to float32.
    ggml_tensor * vector(const std::string & name, int64_t count);
    // A tensor derived from the file: upload() calls `fill` for its float32 values in ggml order. `type` is float32,
    // float16 or bfloat16.
    using Fill = std::function<std::vector<float>()>;
    ggml_tensor * derived(ggml_type type, int64_t ne0, int64_t ne1, Fill fill);
    // A matrix of some values of a tensor in another order, from the value at `first` on, as float32 or float16. Where
    // products round their activations to bfloat16, so are the values.
    Matrix rearranged(const std::string & name, int64_t in, int64_t out, int64_t first, Places rows, Places columns);

    // Fails with MODEL_INVALID unless the tensor exists with `count` floating-point or quantized values.
    void check(const std::string & name, int64_t count) const;
    // All values of a tensor in file order, dequantized; checks their number.
    std::vector<float> values(const std::string & name, int64_t count) const;
    // Number of elements of a tensor; 0 if it is missing.
    int64_t count(const std::string & name) const;

    // Loads all requested tensors. Fails with CANCELLED when `stopping` is set.
    void upload(const std::atomic<bool> & stopping);

private:
    const TensorInfo & require(const std::string & name) const;
    const TensorInfo & require_matrix(const std::string & name, int64_t in, int64_t out) const;

    const GgufFile & file_;
    const Compute & compute_;
    const std::string many_;
    Storage copies_;
    Storage derived_;
    struct Pending {
        ggml_tensor * tensor;
        const TensorInfo * source; // copied unchanged, or
        Fill fill;                 // computed
    };
    std::vector<Pending> pending_;
    struct Order {
        int64_t first;
        Places rows, columns;
    };
    // The bytes of a tensor that is rearranged, whose values come from all over it. Several pieces of work read them, and
    // the last one that uses them frees them.
    struct Copy {
        std::unique_ptr<HugeArena> memory = std::make_unique<HugeArena>();
        std::once_flag made;
        char * bytes = nullptr;
        std::atomic<int> missing{0}, uses{0}; // pieces of work
        std::atomic<bool> whole{true};
        char * room(size_t size);
        // A part was read, or is not in the file.
        void came(bool complete);
        // The bytes once all parts came; nullptr if one is not in the file.
        const char * wait() const;
    };
    struct PendingPack {
        std::shared_ptr<PackedMatrix> packed;
        std::vector<const TensorInfo *> sources = {};
        int64_t in = 0;
        Arrangement arrangement = Arrangement::stacked;
        Activations activations = Activations::exact;
        // of the only source
        std::optional<Order> order = std::nullopt;
        ggml_type type = GGML_TYPE_F32;
        int64_t out = 0;
        std::shared_ptr<Copy> copy = nullptr;
    };
    std::vector<PendingPack> pending_packs_;
    std::shared_ptr<HugeArena> arena_ = std::make_shared<HugeArena>();
    // Packs all pending matrices and checks those in place on the team.
    void pack_all(const std::atomic<bool> & stopping);
    void plan(const PendingPack & pending) const;
    // Reads rows of a tensor. Copying takes less time than page tables for a mapping, and the copy stays in the cache.
    const char * read(const TensorInfo & source, RowRange rows, char * to) const;
    // Buffers of a thread, grown as needed.
    struct Scratch {
        std::vector<char> bytes;
        std::vector<uint16_t> halves;
        std::vector<float> floats;
    };
    // The rows in the order of the matrix, in the scratch.
    const char * rearrange(const PendingPack & pending, int64_t first_row, int64_t last_row, Scratch & scratch) const;
    void pack_piece(const PendingPack & pending, int first_tile, int last_tile, Scratch & scratch) const;
    // A piece of work for the team.
    struct Piece {
        const char * begin; // in the file, of a tensor that is copied, else `place`
        bool reads_copy;    // and so waits for the pieces that fill it, which are taken before it
        const char * place;
        std::function<void(Scratch & scratch)> work;
    };
    void add_reads(const TensorInfo & source, Copy & copy, std::vector<Piece> & pieces) const;
    void add_packs(const PendingPack & pending, std::vector<Piece> & pieces) const;
    void add_checks(const TensorInfo & source, std::vector<Piece> & pieces) const;
    void share(const std::vector<Piece> & pieces, const std::atomic<bool> & stopping) const;
    // Type of matrices rearranged from this tensor.
    ggml_type float_type(const TensorInfo & source) const;
    // Reads a tensor a few rows at a time; fails with MODEL_INVALID for infinity or NaN.
    void each_piece(
        const TensorInfo & source, const std::function<void(const std::vector<char> & bytes, size_t from)> & use
    ) const;
    // Fail with MODEL_INVALID for an unsupported type, and for infinity or NaN.
    void require_type(const TensorInfo & source) const;
    [[noreturn]] void refuse_broken(const TensorInfo & source) const;
    std::vector<const TensorInfo *> in_place_; // stay in the file
    bool rounds_activations_ = false;
};

// All weights of a model but its audio VAE.
using NetworkWeights = NetworkOf<Matrix, ggml_tensor *, FusedMatrix, const TensorInfo *>;
NetworkWeights load_network(Weights & weights, const Config & config);

} // namespace svc
