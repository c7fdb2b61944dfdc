// Where the language model looks in the text while it speaks.
#pragma once
#include <vector>

#include "ggml-executor/ggml.h"
#include "model/executor.h"

namespace svc {

// The attention of one column to a text, over all heads of a stack.
struct TextAttention {
    TextCells cells;
    // Written by the CPU kernels: [layer · heads + head], see peak_of().
    std::vector<float> peaks = {};
    // On other devices, for each layer [count, heads]: the weights to find the peaks in.
    std::vector<ggml_tensor *> weights = {};
};

} // namespace svc
