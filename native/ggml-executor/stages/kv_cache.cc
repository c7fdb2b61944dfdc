#include "ggml-executor/stages/kv_cache.h"

#include <cstring>

namespace svc {
namespace {

constexpr int bucket = 256;

// Copies the first rows within the device.
void copy_rows(ggml_tensor * from, ggml_tensor * to, int rows) {
    const Storage views(2);
    const auto first = [&](ggml_tensor * tensor) {
        ggml_tensor * view = ggml_view_2d(views.context(), tensor, tensor->ne[0], rows, tensor->nb[1], 0);
        view->buffer = tensor->buffer;
        return view;
    };
    if (rows > 0) ggml_backend_tensor_copy(first(from), first(to));
}

std::vector<float> read_rows(const ggml_tensor * tensor, int rows) {
    const size_t count = static_cast<size_t>(rows) * tensor->ne[0];
    std::vector<char> raw(count * ggml_type_size(tensor->type));
    ggml_backend_tensor_get(tensor, raw.data(), 0, raw.size());
    std::vector<float> values(count);
    if (tensor->type == GGML_TYPE_F32) std::memcpy(values.data(), raw.data(), raw.size());
    else ggml_get_type_traits(tensor->type)->to_float(raw.data(), values.data(), static_cast<int64_t>(count));
    return values;
}

} // namespace

KvCache::KvCache(const Config & config, const Compute & compute)
    : compute_(compute), base_layers_(config.base_lm.layers),
      total_layers_(config.base_lm.layers + config.residual_lm.layers),
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
        layers.push_back(
            {ggml_new_tensor_2d(storage->context(), type_, row_, capacity),
             ggml_new_tensor_2d(storage->context(), type_, row_, capacity)}
        );
    }
    storage->allocate(compute_.buffer_type());
    for (size_t i = 0; i < layers_.size(); i++) {
        copy_rows(layers_[i].k, layers[i].k, rows(used));
        copy_rows(layers_[i].v, layers[i].v, rows(used));
    }
    storage_ = std::move(storage);
    layers_ = std::move(layers);
    capacity_ = capacity;
    return true;
}

// Calls visit(tensor, offset, bytes) for all parts of memory that hold these positions.
template <typename Visit>
void KvCache::for_each_part(int first, int count, const Visit & visit) const {
    for (const KvLayer & layer : layers_) {
        visit(layer.v, layer.v->nb[1] * first, layer.v->nb[1] * count);
        if (!compute_.kernels()) {
            visit(layer.k, layer.k->nb[1] * first, layer.k->nb[1] * count);
            continue;
        }
        for (int64_t i = 0; i < row_; i++) {
            visit(
                layer.k, ((first / key_block * row_ + i) * key_block + first % key_block) * sizeof(float),
                count * sizeof(float)
            );
        }
    }
}

std::vector<char> KvCache::read(int first, int count) const {
    std::vector<char> saved(2 * layers_.size() * row_ * count * ggml_type_size(type_));
    size_t at = 0;
    for_each_part(first, count, [&](const ggml_tensor * tensor, size_t offset, size_t bytes) {
        if (compute_.kernels()) std::memcpy(saved.data() + at, static_cast<const char *>(tensor->data) + offset, bytes);
        else ggml_backend_tensor_get(tensor, saved.data() + at, offset, bytes);
        at += bytes;
    });
    return saved;
}

void KvCache::write(int first, int count, const std::vector<char> & saved) {
    size_t at = 0;
    for_each_part(first, count, [&](ggml_tensor * tensor, size_t offset, size_t bytes) {
        if (compute_.kernels()) std::memcpy(static_cast<char *>(tensor->data) + offset, saved.data() + at, bytes);
        else ggml_backend_tensor_set(tensor, saved.data() + at, offset, bytes);
        at += bytes;
    });
}

std::vector<float> KvCache::keys(const KvLayer & layer, int positions) const {
    std::vector<float> stored = read_rows(layer.k, rows(positions));
    if (!compute_.kernels()) return stored;
    std::vector<float> keys(static_cast<size_t>(positions) * row_);
    for (int position = 0; position < positions; position++) {
        const float * block =
            stored.data() + static_cast<size_t>(position / key_block) * key_block * row_ + position % key_block;
        for (int64_t i = 0; i < row_; i++) keys[position * row_ + i] = block[i * key_block];
    }
    return keys;
}

std::vector<float> KvCache::values(const KvLayer & layer, int positions) const { return read_rows(layer.v, positions); }

} // namespace svc
