#include "cuda/gguf_tensors.h"

#include <algorithm>
#include <cmath>

namespace svc::cuda {

const TensorInfo & GgufTensors::require(const std::string & name) const {
    const TensorInfo * tensor = file_.find(name);
    if (!tensor) file_.refuse("tensor \"", name, "\" is missing");
    return *tensor;
}

bool GgufTensors::quantized(const std::string & name) const { return traits_of(require(name).type)->quantized; }

std::vector<float> GgufTensors::values(const std::string & name, int64_t count) const {
    const TensorInfo & tensor = require(name);
    if (tensor.count() != count)
        file_.refuse("tensor \"", name, "\" has ", tensor.count(), " values, expected ", count);
    std::vector<float> values(count);
    if (!widen(tensor.type, file_.copy(tensor).data(), count, values.data()))
        file_.refuse("tensor \"", name, "\" has the unsupported type ", traits_of(tensor.type)->name);
    if (!std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); }))
        file_.refuse("tensor \"", name, "\" contains infinity or NaN");
    return values;
}

void GgufTensors::row(const std::string & name, int64_t index, int64_t width, float * values) const {
    const TensorInfo & tensor = require(name);
    const std::vector<char> bytes = file_.copy(tensor, tensor.row_bytes() * index, tensor.row_bytes());
    if (!widen(tensor.type, bytes.data(), width, values))
        file_.refuse("tensor \"", name, "\" has the unsupported type ", traits_of(tensor.type)->name);
}

} // namespace svc::cuda
