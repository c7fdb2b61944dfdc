#include "ggml-executor/weights/token_table.h"

#include <vector>

#include "ggml-executor/ggml.h"

namespace svc {

void TokenTable::read(int32_t id, float * values) const {
    const size_t bytes = source_.row_bytes();
    const bool plain = source_.type == TensorType::f32;
    std::vector<char> row(plain ? 0 : bytes);
    if (!file_.read(source_, bytes * id, bytes, plain ? static_cast<void *>(values) : row.data()))
        file_.refuse_changed();
    if (!plain)
        ggml_get_type_traits(static_cast<ggml_type>(source_.type))->to_float(row.data(), values, source_.shape[0]);
}

} // namespace svc
