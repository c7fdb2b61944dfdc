#include "model/session/voice_memory.h"

#include <algorithm>

namespace svc {
namespace {

// Patches embedded at once; bounds memory for long recordings.
constexpr size_t chunk_patches = 64;
// Ten seconds take 0.3 to 0.7 MB.
constexpr size_t max_embedding_bytes = size_t{48} << 20;
// A decoder takes about half a MB.
constexpr size_t max_decoded_bytes = size_t{16} << 20;

std::string bytes_of(const float * values, size_t count) {
    return std::string(reinterpret_cast<const char *>(values), count * sizeof(float));
}

} // namespace

VoiceMemory::Embedding VoiceMemory::begin_embedding(
    const std::vector<float> & patches, const AdapterUse & adapter
) const {
    return {patches, adapter, std::vector<float>(patches.size() / config_.patch_values() * config_.base_lm.hidden)};
}

bool VoiceMemory::embed(Embedding & embedding) {
    const size_t size = config_.patch_values(), hidden = config_.base_lm.hidden,
                 count = embedding.patches.size() / size;
    const auto patch = [&](size_t i) { return embedding.patches.data() + i * size; };
    const auto key = [&](size_t i) { return adapter_key(embedding.adapter) + bytes_of(patch(i), size); };
    std::vector<size_t> missing;
    std::vector<float> chunk;
    for (; embedding.next < count && missing.size() < chunk_patches; embedding.next++) {
        const size_t i = embedding.next;
        if (const std::vector<float> * known = embeddings_.find(key(i))) {
            std::copy(known->begin(), known->end(), embedding.values.begin() + i * hidden);
        } else {
            missing.push_back(i);
            chunk.insert(chunk.end(), patch(i), patch(i) + size);
        }
    }
    if (missing.empty()) return false;
    const std::vector<float> computed = executor_.embed(chunk, embedding.adapter);
    for (size_t i = 0; i < missing.size(); i++) {
        const auto row = computed.begin() + i * hidden;
        std::copy(row, row + hidden, embedding.values.begin() + missing[i] * hidden);
        embeddings_.put(key(missing[i]), std::vector<float>(row, row + hidden), hidden * sizeof(float));
    }
    embeddings_.shrink(max_embedding_bytes);
    note_bytes();
    return true;
}

int VoiceMemory::restore(const Prefix & prefix, Session & session) { return prefixes_.restore(prefix, session); }

void VoiceMemory::remember(const Prefix & prefix, const Session & session, int known, int count) {
    prefixes_.remember(prefix, session, count);
    use_.remembered.fetch_add(known, std::memory_order_relaxed);
    use_.computed.fetch_add(static_cast<int64_t>(prefix.tokens.size()) - known, std::memory_order_relaxed);
    note_bytes();
}

const VoiceMemory::Decoded * VoiceMemory::find_decoded(const std::vector<float> & patches) {
    return decoded_.find(bytes_of(patches.data(), patches.size()));
}

void VoiceMemory::remember_decoded(const std::vector<float> & patches, Decoded decoded) {
    const size_t bytes = decoded.state->bytes() + decoded.samples.size() * sizeof(float);
    decoded_.put(bytes_of(patches.data(), patches.size()), std::move(decoded), bytes);
    decoded_.shrink(max_decoded_bytes);
    note_bytes();
}

void VoiceMemory::note_bytes() {
    use_.bytes.store(
        static_cast<int64_t>(embeddings_.bytes() + prefixes_.bytes() + decoded_.bytes()), std::memory_order_relaxed
    );
}

} // namespace svc
