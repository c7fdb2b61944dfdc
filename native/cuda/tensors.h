// The tensors of a model, by their names in a GGUF file.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace svc::cuda {

class Tensors {
public:
    virtual ~Tensors() = default;
    // As float32, in the order of the file. Fails with MODEL_INVALID unless there are `count` finite ones.
    virtual std::vector<float> values(const std::string & name, int64_t count) const = 0;
    // A row of a matrix of `width` columns, for what stays in the file.
    virtual void row(const std::string & name, int64_t index, int64_t width, float * values) const = 0;
    // Whether the matrix has weights of 8 bits or fewer.
    virtual bool quantized(const std::string & name) const = 0;
};

} // namespace svc::cuda
