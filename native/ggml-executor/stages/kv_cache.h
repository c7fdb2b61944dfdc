// Keys and values of one session for all layers of both language models.
#pragma once
#include <memory>
#include <vector>

#include "model/description/config.h"
#include "ggml-executor/compute.h"

namespace svc {

// One row per position: [head_dim · kv_heads, capacity]. Keys are stored after RoPE. For our kernels, the keys of 32
// positions are a block instead: see key_block in kernels/kernels.h.
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
    // Keys and values of `count` positions from `first`, of all layers; they must not go beyond a block of keys.
    std::vector<char> read(int first, int count) const;
    void write(int first, int count, const std::vector<char> & saved);
    // The first positions of a layer: [head_dim · kv_heads, positions].
    std::vector<float> keys(const KvLayer & layer, int positions) const;
    std::vector<float> values(const KvLayer & layer, int positions) const;
    const KvLayer * base_lm() const { return layers_.data(); }
    const KvLayer * residual_lm() const { return layers_.data() + base_layers_; }

private:
    // Rows of a tensor that hold the first positions.
    int rows(int positions) const {
        return compute_.kernels() ? (positions + key_block - 1) / key_block * key_block : positions;
    }
    template <typename Visit>
    void for_each_part(int first, int count, const Visit & visit) const;

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
