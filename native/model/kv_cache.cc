#include "model/kv_cache.h"

namespace svc {
namespace {

constexpr int bucket = 256;

void copy_rows(const ggml_tensor * from, ggml_tensor * to, int rows, std::vector<char> & scratch) {
    const size_t bytes = from->nb[1] * rows;
    if (bytes == 0) return;
    scratch.resize(bytes);
    ggml_backend_tensor_get(from, scratch.data(), 0, bytes);
    ggml_backend_tensor_set(to, scratch.data(), 0, bytes);
}

} // namespace

KvCache::KvCache(const Config & config, const Compute & compute)
    : compute_(compute), base_layers_(config.base_lm.layers), total_layers_(config.base_lm.layers + config.residual_lm.layers),
      row_(static_cast<int64_t>(config.base_lm.head_dim) * config.base_lm.kv_heads),
      // float16 halves the memory where attention kernels support it; on the CPU, float32 is as fast and exact
      type_(compute.is_cpu() ? GGML_TYPE_F32 : GGML_TYPE_F16) {}

bool KvCache::reserve(int positions, int used) {
    if (positions <= capacity_) return false;
    int capacity = capacity_ > 0 ? capacity_ : bucket;
    while (capacity < positions) capacity *= 2;
    auto storage = std::make_unique<Storage>(static_cast<size_t>(total_layers_) * 2 + 8);
    std::vector<KvLayer> layers;
    for (int i = 0; i < total_layers_; i++) {
        layers.push_back({ggml_new_tensor_2d(storage->context(), type_, row_, capacity), ggml_new_tensor_2d(storage->context(), type_, row_, capacity)});
    }
    storage->allocate(compute_.buffer_type());
    std::vector<char> scratch;
    for (size_t i = 0; i < layers_.size(); i++) {
        copy_rows(layers_[i].k, layers[i].k, used, scratch);
        copy_rows(layers_[i].v, layers[i].v, used, scratch);
    }
    storage_ = std::move(storage);
    layers_ = std::move(layers);
    capacity_ = capacity;
    return true;
}

} // namespace svc
