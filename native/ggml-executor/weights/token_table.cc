#include "ggml-executor/weights/token_table.h"

#include <vector>

namespace svc {

TokenTable::TokenTable(Weights & weights, const std::string & name, int64_t width, int64_t count)
    : file_(weights.file()), width_(width), source_(weights.rows(name, width, count)) {}

void TokenTable::read(int32_t id, float * values) const {
    const size_t bytes = ggml_row_size(source_.type, width_);
    const bool plain = source_.type == GGML_TYPE_F32;
    std::vector<char> row(plain ? 0 : bytes);
    if (!file_.read(&source_, bytes * id, bytes, plain ? static_cast<void *>(values) : row.data()))
        file_.refuse_changed();
    if (!plain) ggml_get_type_traits(source_.type)->to_float(row.data(), values, width_);
}

} // namespace svc
