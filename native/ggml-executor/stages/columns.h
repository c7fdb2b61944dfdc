// Joining and selecting columns of matrices in a graph.
#pragma once
#include <vector>

#include "ggml-executor/ggml.h"

namespace svc {

// Concatenates x and `more` along a dimension; x may be null.
inline ggml_tensor * join(ggml_context * context, ggml_tensor * x, ggml_tensor * more, int dimension) {
    return x ? ggml_concat(context, x, more, dimension) : more;
}

// Selects columns of x [width, n], ascending: [width, columns].
inline ggml_tensor * select_columns(ggml_context * context, ggml_tensor * x, const std::vector<int> & columns) {
    if (static_cast<int64_t>(columns.size()) == x->ne[1]) return x;
    ggml_tensor * selected = nullptr;
    for (int column : columns)
        selected = join(context, selected, ggml_view_2d(context, x, x->ne[0], 1, x->nb[1], column * x->nb[1]), 1);
    return columns.size() == 1 ? ggml_cont(context, selected) : selected;
}

} // namespace svc
