// The embeddings of the tokens. They stay in the file, a tenth of it, of which a text needs a few rows.
#pragma once
#include <string>

#include "ggml-executor/weights/weights.h"

namespace svc {

class TokenTable {
public:
    TokenTable(Weights & weights, const std::string & name, int64_t width, int64_t count);

    // Writes the embedding of a token, of `width` values. Fails with MODEL_INVALID if the file has become shorter.
    void read(int32_t id, float * values) const;

private:
    const GgufFile & file_;
    const int64_t width_;
    const ggml_tensor & source_;
};

} // namespace svc
