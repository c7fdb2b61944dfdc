// The embeddings of the tokens. They stay in the file, a tenth of it, of which a text needs a few rows.
#pragma once
#include <string>

#include "model/file/gguf_file.h"

namespace svc {

class TokenTable {
public:
    TokenTable(const GgufFile & file, const TensorInfo & source) : file_(file), source_(source) {}

    // Writes the embedding of a token, of a row. Fails with MODEL_INVALID if the file has become shorter.
    void read(int32_t id, float * values) const;

private:
    const GgufFile & file_;
    const TensorInfo & source_;
};

} // namespace svc
