#include "ggml-executor/weights/token_table.h"

#include <algorithm>
#include <vector>

namespace svc {

TokenTable::TokenTable(Weights & weights, const std::string & name, int64_t width, int64_t count)
    : file_(weights.file()), width_(width) {
    if (weights.packs()) source_ = &weights.rows(name, width, count);
    else copy_ = weights.table(name, width, count);
}

ggml_tensor * TokenTable::build(Graph & graph, ggml_tensor * ids) const {
    if (copy_) return ggml_get_rows(graph.context(), copy_, ids);
    return ggml_custom_4d(
        graph.context(), GGML_TYPE_F32, width_, ids->ne[0], 1, 1, &ids, 1, read_rows, 1, const_cast<TokenTable *>(this)
    );
}

void TokenTable::read_rows(ggml_tensor * out, int, int, void * table) {
    const auto * ids = static_cast<const int32_t *>(out->src[0]->data);
    auto * values = static_cast<float *>(out->data);
    for (int64_t i = 0; i < out->ne[1]; i++)
        static_cast<const TokenTable *>(table)->read(ids[i], values + i * out->ne[0]);
}

void TokenTable::read(int32_t id, float * values) const {
    const size_t bytes = ggml_row_size(source_->type, width_);
    const bool plain = source_->type == GGML_TYPE_F32;
    std::vector<char> row(plain ? 0 : bytes);
    if (!file_.read(source_, bytes * id, bytes, plain ? static_cast<void *>(values) : row.data())) {
        failed_ = true;
        std::fill_n(values, width_, 0.0f);
    } else if (!plain) {
        ggml_get_type_traits(source_->type)->to_float(row.data(), values, width_);
    }
}

void TokenTable::require_read() const {
    if (failed_) file_.refuse_changed();
}

} // namespace svc
