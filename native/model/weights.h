// The tensors of a GGUF file on the device that computes.
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

// A weight that columns are multiplied with: packed for our CPU kernels, or a tensor that ggml multiplies.
struct Matrix {
    int64_t in = 0, out = 0;
    ggml_tensor * tensor = nullptr;
    std::shared_ptr<PackedMatrix> packed; // filled by upload()
};

// Stages ask for their tensors while they are constructed; upload() then places everything. On a CPU the
// matrices are views into the mapped file; other devices get a copy.
class Weights {
public:
    Weights(const GgufFile & file, const Compute & compute);

    bool has(const std::string & name) const { return file_.find(name) != nullptr; }
    const GgufFile & file() const { return file_; }

    // `in` values a row, `out` rows, in the type of the file.
    Matrix matrix(const std::string & name, int64_t in, int64_t out);
    // A matrix whose rows are looked up.
    ggml_tensor * table(const std::string & name, int64_t in, int64_t out);
    // Whether matrices are packed for our CPU kernels.
    bool packs() const { return compute_.kernels() != nullptr; }
    // Several matrices of the same width as one, for our CPU kernels.
    struct Part {
        std::string name;
        int64_t out;
    };
    Matrix fused(const std::vector<Part> & parts, int64_t in, Arrangement arrangement);
    // A float32 vector, whatever type the file has.
    ggml_tensor * vector(const std::string & name, int64_t count);
    // A tensor computed from the file: `fill` makes its float32 values in ggml order when upload() asks for them.
    // `type` is float32, float16 or bfloat16; products of a bfloat16 matrix round their activations too.
    using Fill = std::function<std::vector<float>()>;
    ggml_tensor * derived(ggml_type type, int64_t ne0, int64_t ne1, Fill fill);
    Matrix derived_matrix(ggml_type type, int64_t in, int64_t out, Fill fill);

    // Fails with MODEL_INVALID unless the tensor is there with `count` floating-point or quantised values.
    void check(const std::string & name, int64_t count) const;
    // All values of a tensor in the order of the file, dequantised; the number of elements is checked.
    std::vector<float> values(const std::string & name, int64_t count) const;
    // Number of elements of a tensor, 0 when it is missing.
    int64_t count(const std::string & name) const;
    // Type for tensors derived from this one: float32 or float16, or bfloat16 for a product that rounds its activations too.
    ggml_type float_type(const std::string & name) const;

    // Fails with CANCELLED when `stopping` is set.
    void upload(const std::atomic<bool> & stopping);
    // The commonest type among the matrices, as ggml names it.
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
        const ggml_tensor * source; // copied as it is, or
        Fill fill;                  // made from values
    };
    std::vector<Pending> pending_;
    struct PendingPack {
        std::shared_ptr<PackedMatrix> packed;
        std::vector<const ggml_tensor *> sources; // stand in the file, or
        Fill fill;                                // one made from values
        ggml_type type;
        int64_t in, out;
        Arrangement arrangement;
    };
    std::vector<PendingPack> pending_packs_;
    std::shared_ptr<HugeArena> arena_ = std::make_shared<HugeArena>();
    void pack_one(const PendingPack & pending) const;
    // All of them, by the team.
    void pack_all(const std::atomic<bool> & stopping);
    // Fails with MODEL_INVALID when a value is no number.
    void require_finite(const ggml_tensor & source) const;
    std::vector<const ggml_tensor *> matrices_;
    std::vector<const ggml_tensor *> in_place_; // read where they are in the file
    bool rounds_activations_ = false;
};

} // namespace svc
