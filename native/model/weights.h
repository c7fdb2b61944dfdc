// The tensors of a GGUF file on the compute device.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/pack.h"
#include "model/gguf_file.h"
#include "runtime/compute.h"

namespace svc {

// A weight matrix: packed for our CPU kernels, or a ggml tensor.
struct Matrix {
    int64_t in = 0, out = 0;
    ggml_tensor * tensor = nullptr;
    std::shared_ptr<PackedMatrix> packed; // filled by upload()
};

// Stages request their tensors during construction; upload() then loads them. On a CPU, matrices are views into the
// mapped file; other devices get a copy.
class Weights {
public:
    Weights(const GgufFile & file, const Compute & compute);

    bool has(const std::string & name) const { return file_.find(name) != nullptr; }
    const GgufFile & file() const { return file_; }

    // `out` rows of `in` values, in the type of the file.
    Matrix matrix(const std::string & name, int64_t in, int64_t out);
    // A lookup table of rows.
    ggml_tensor * table(const std::string & name, int64_t in, int64_t out);
    // Whether matrices are packed for our CPU kernels.
    bool packs() const { return compute_.kernels() != nullptr; }
    // Several matrices of the same width fused into one, for our CPU kernels.
    struct Part {
        std::string name;
        int64_t out;
    };
    Matrix fused(const std::vector<Part> & parts, int64_t in, Arrangement arrangement);
    // A vector, converted to float32.
    ggml_tensor * vector(const std::string & name, int64_t count);
    // A tensor derived from the file: upload() calls `fill` for its float32 values in ggml order. `type` is float32,
    // float16 or bfloat16; products of a bfloat16 matrix also round their activations.
    using Fill = std::function<std::vector<float>()>;
    ggml_tensor * derived(ggml_type type, int64_t ne0, int64_t ne1, Fill fill);
    Matrix derived_matrix(ggml_type type, int64_t in, int64_t out, Fill fill);

    // Fails with MODEL_INVALID unless the tensor exists with `count` floating-point or quantized values.
    void check(const std::string & name, int64_t count) const;
    // All values of a tensor in file order, dequantized; checks their number.
    std::vector<float> values(const std::string & name, int64_t count) const;
    // Number of elements of a tensor; 0 if it is missing.
    int64_t count(const std::string & name) const;
    // Type for tensors derived from this one: float32 or float16, or bfloat16 where products round their activations.
    ggml_type float_type(const std::string & name) const;

    // Loads all requested tensors. Fails with CANCELLED when `stopping` is set.
    void upload(const std::atomic<bool> & stopping);
    // ggml's name of the most frequent type among the matrices.
    std::string dominant_type() const;

private:
    const ggml_tensor & require(const std::string & name) const;
    const ggml_tensor & require_matrix(const std::string & name, int64_t in, int64_t out);

    const GgufFile & file_;
    const Compute & compute_;
    ggml_backend_buffer_ptr mapped_;
    Storage copies_;
    Storage derived_;
    struct Pending {
        ggml_tensor * tensor;
        const ggml_tensor * source; // copied unchanged, or
        Fill fill;                  // computed
    };
    std::vector<Pending> pending_;
    struct PendingPack {
        std::shared_ptr<PackedMatrix> packed;
        std::vector<const ggml_tensor *> sources; // from the file, or
        Fill fill;                                // computed
        ggml_type type;
        int64_t in, out;
        Arrangement arrangement;
    };
    std::vector<PendingPack> pending_packs_;
    std::shared_ptr<HugeArena> arena_ = std::make_shared<HugeArena>();
    void pack_one(const PendingPack & pending) const;
    // Packs all pending matrices on the team.
    void pack_all(const std::atomic<bool> & stopping);
    // Fail with MODEL_INVALID for an unsupported type, and for infinity or NaN.
    void require_type(const ggml_tensor & source) const;
    void require_finite(const ggml_tensor & source) const;
    std::vector<const ggml_tensor *> matrices_;
    std::vector<const ggml_tensor *> in_place_; // read directly from the mapped file
    bool rounds_activations_ = false;
};

} // namespace svc
