// The embeddings of the tokens.
#pragma once
#include <atomic>
#include <string>

#include "ggml-executor/weights/weights.h"
#include "ggml-executor/graph.h"

namespace svc {

// Beside our CPU kernels the table stays in the file, a tenth of it, of which a text needs a few rows. Other devices have a
// copy.
class TokenTable {
public:
    TokenTable(Weights & weights, const std::string & name, int64_t width, int64_t count);

    // ids int32 [n] → [width, n], as float32
    ggml_tensor * build(Graph & graph, ggml_tensor * ids) const;
    // Fails with MODEL_INVALID if a row could not be read; call after a graph was run.
    void require_read() const;

private:
    // Writes a row, or zeros if the file has become shorter.
    void read(int32_t id, float * values) const;
    static void read_rows(ggml_tensor * out, int thread, int threads, void * table);

    const GgufFile & file_;
    const int64_t width_;
    ggml_tensor * copy_ = nullptr;
    const ggml_tensor * source_ = nullptr;
    // an operation of ggml can't fail
    mutable std::atomic<bool> failed_{false};
};

} // namespace svc
