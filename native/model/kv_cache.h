// Keys and values of one session for all layers of both language models.
#pragma once
#include <memory>
#include <vector>

#include "model/config.h"
#include "runtime/compute.h"

namespace svc {

// One row per position: [head_dim · kv_heads, capacity]. Keys are stored after RoPE.
struct KvLayer {
    ggml_tensor * k;
    ggml_tensor * v;
};

class KvCache {
public:
    KvCache(const Config & config, const Compute & compute);

    // Makes room for `positions`, keeping the first `used` rows. Returns whether the tensors moved, which invalidates
    // all graphs built on them.
    bool reserve(int positions, int used);
    int capacity() const { return capacity_; }
    const KvLayer * base_lm() const { return layers_.data(); }
    const KvLayer * residual_lm() const { return layers_.data() + base_layers_; }

private:
    const Compute & compute_;
    int base_layers_;
    int total_layers_;
    int64_t row_;
    ggml_type type_;
    int capacity_ = 0;
    std::unique_ptr<Storage> storage_;
    std::vector<KvLayer> layers_;
};

} // namespace svc
