#include "model/voice_memory.h"

#include <algorithm>

namespace svc {
namespace {

// Patches embedded at once; bounds memory for long recordings.
constexpr size_t chunk_patches = 64;
// Computing a shorter reference is as fast as copying it.
constexpr int min_reference = 8;

template <typename Value>
std::string bytes_of(const Value * values, size_t count) {
    return std::string(reinterpret_cast<const char *>(values), count * sizeof(Value));
}

std::string reference_key(const Prefix & prefix, const AdapterUse & adapter, int length, size_t patch_values) {
    const size_t patches = std::count(prefix.audio.begin(), prefix.audio.begin() + length, 1);
    return adapter.key() + bytes_of(prefix.tokens.data(), length) + bytes_of(prefix.features.data(), patches * patch_values);
}

// Calls visit(tensor) for all keys and values of a session, in the same order each time.
template <typename Visit>
void for_each_cache(const KvCache & cache, const Config & config, Visit visit) {
    const auto layers = [&](const KvLayer * layer, int count) {
        for (int i = 0; i < count; i++) {
            visit(layer[i].k);
            visit(layer[i].v);
        }
    };
    layers(cache.base_lm(), config.base_lm.layers);
    layers(cache.residual_lm(), config.residual_lm.layers);
}

} // namespace

std::vector<float> VoiceMemory::compute_embeddings(const std::vector<float> & patches, const AdapterUse & adapter) const {
    const Config & config = network_.config;
    Graph graph(compute_, static_cast<size_t>(config.local_encoder.layers) * 48 + 128);
    ggml_tensor * input = graph.input(GGML_TYPE_F32, config.feature_dim, config.patch_size, static_cast<int64_t>(patches.size() / config.patch_values()));
    ggml_tensor * positions = graph.input(GGML_TYPE_I32, 1 + config.patch_size);
    AdapterRuns adapters;
    adapters.add(adapter, static_cast<int>(input->ne[2]));
    ggml_tensor * output = graph.output(network_.embed_patches(graph, input, positions, adapters));
    graph.allocate();
    graph.set(input, patches);
    graph.set(positions, network_.local_encoder.positions());
    graph.run();
    return graph.get(output);
}

VoiceMemory::Embedding VoiceMemory::begin_embedding(const std::vector<float> & patches, const AdapterUse & adapter) {
    const size_t size = network_.config.patch_values(), hidden = network_.config.base_lm.hidden, count = patches.size() / size;
    Embedding embedding{patches, adapter, std::vector<float>(count * hidden), {}};
    for (size_t i = 0; i < count; i++) {
        if (const std::vector<float> * known = embeddings_.find(adapter.key() + bytes_of(patches.data() + i * size, size))) std::copy(known->begin(), known->end(), embedding.values.begin() + i * hidden);
        else embedding.missing.push_back(i);
    }
    return embedding;
}

bool VoiceMemory::embed(Embedding & embedding) {
    const size_t size = network_.config.patch_values(), hidden = network_.config.base_lm.hidden;
    const size_t first = embedding.done, last = std::min(embedding.missing.size(), first + chunk_patches);
    if (first == last) return false;
    const auto patch = [&](size_t i) { return embedding.patches.data() + embedding.missing[i] * size; };
    std::vector<float> chunk;
    for (size_t i = first; i < last; i++) chunk.insert(chunk.end(), patch(i), patch(i) + size);
    const std::vector<float> computed = compute_embeddings(chunk, embedding.adapter);
    for (size_t i = first; i < last; i++) {
        const auto row = computed.begin() + (i - first) * hidden;
        std::copy(row, row + hidden, embedding.values.begin() + embedding.missing[i] * hidden);
        embeddings_.put(embedding.adapter.key() + bytes_of(patch(i), size), std::vector<float>(row, row + hidden));
    }
    embedding.done = last;
    return true;
}

int VoiceMemory::remembers(const Prefix & prefix) const {
    const int length = prefix.reference_length();
    return length < min_reference ? 0 : length;
}

int VoiceMemory::restore(const Prefix & prefix, Slot & slot) {
    const int length = remembers(prefix);
    if (length == 0) return 0;
    const std::vector<char> * rows = references_.find(reference_key(prefix, slot.adapter, length, network_.config.patch_values()));
    if (!rows) return 0;
    size_t offset = 0;
    for_each_cache(slot.cache, network_.config, [&](ggml_tensor * tensor) {
        const size_t bytes = tensor->nb[1] * length;
        ggml_backend_tensor_set(tensor, rows->data() + offset, 0, bytes);
        offset += bytes;
    });
    return length;
}

void VoiceMemory::remember(const Prefix & prefix, const Slot & slot) {
    const int length = remembers(prefix);
    if (length == 0) return;
    std::vector<char> rows;
    for_each_cache(slot.cache, network_.config, [&](const ggml_tensor * tensor) {
        const size_t bytes = tensor->nb[1] * length, offset = rows.size();
        rows.resize(offset + bytes);
        ggml_backend_tensor_get(tensor, rows.data() + offset, 0, bytes);
    });
    references_.put(reference_key(prefix, slot.adapter, length, network_.config.patch_values()), std::move(rows));
}

} // namespace svc
