// The tensors of a model file, dequantized.
#pragma once
#include "cuda/tensors.h"
#include "model/file/gguf_file.h"

namespace svc::cuda {

class GgufTensors : public Tensors {
public:
    explicit GgufTensors(const GgufFile & file) : file_(file) {}
    std::vector<float> values(const std::string & name, int64_t count) const override;
    void row(const std::string & name, int64_t index, int64_t width, float * values) const override;
    bool quantized(const std::string & name) const override;

private:
    const TensorInfo & require(const std::string & name) const;
    const GgufFile & file_;
};

} // namespace svc::cuda
