// The tensors of a GGUF file on the device that computes.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/gguf_file.h"
#include "runtime/compute.h"

namespace svc {

// Stages ask for their tensors while they are constructed; upload() then places everything. On a CPU the
// matrices are views into the mapped file; other devices get a copy.
class Weights {
public:
    Weights(const GgufFile & file, const Compute & compute);

    bool has(const std::string & name) const { return file_.find(name) != nullptr; }
    const GgufFile & file() const { return file_; }

    // A matrix that mul_mat or get_rows reads, `in` values a row, `out` rows, in the type of the file.
    ggml_tensor * matrix(const std::string & name, int64_t in, int64_t out);
    // A float32 vector, whatever type the file has.
    ggml_tensor * vector(const std::string & name, int64_t count);
    // A tensor computed from the file: `fill` makes its float32 values in ggml order when upload() asks for them.
    // `type` is float32, float16 or bfloat16.
    using Fill = std::function<std::vector<float>()>;
    ggml_tensor * derived(ggml_type type, int64_t ne0, int64_t ne1, Fill fill);

    // Fails with MODEL_INVALID unless the tensor is there with `count` floating-point or quantised values.
    void check(const std::string & name, int64_t count) const;
    // All values of a tensor in the order of the file, dequantised; the number of elements is checked.
    std::vector<float> values(const std::string & name, int64_t count) const;
    // Number of elements of a tensor, 0 when it is missing.
    int64_t count(const std::string & name) const;
    // Type for tensors derived from this one: float32 or float16.
    ggml_type float_type(const std::string & name) const;

    void upload();
    // The commonest type among the matrices, as ggml names it.
    std::string dominant_type() const;

private:
    const ggml_tensor & require(const std::string & name) const;

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
    std::vector<const ggml_tensor *> matrices_;
};

} // namespace svc
