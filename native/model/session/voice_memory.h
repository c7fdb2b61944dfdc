// Caches computed values of recordings. A voice is used by many requests: its patches are embedded once, the positions
// that its prefixes share go through the language models once, with each adapter, and its end is decoded once.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "model/executor.h"
#include "model/session/prefix.h"
#include "model/session/prefix_memory.h"
#include "model/session/recent_map.h"
#include "model/session/session.h"

namespace svc {

// Written by the compute thread, read by any.
struct MemoryUse {
    std::atomic<int64_t> bytes{0};
    // Positions of prefixes since the model was loaded: taken over from memory, and computed.
    std::atomic<int64_t> remembered{0}, computed{0};
};

class VoiceMemory {
public:
    VoiceMemory(const Config & config, Executor & executor)
        : config_(config), executor_(executor), prefixes_(config, executor) {}

    // Embeddings of patches, [patch_size · feature_dim] → [hidden] each.
    struct Embedding {
        const std::vector<float> & patches;
        const AdapterUse & adapter;
        std::vector<float> values;
        size_t next = 0; // first patch without values
    };
    Embedding begin_embedding(const std::vector<float> & patches, const AdapterUse & adapter) const;
    // Computes the next slice of those that are not remembered; returns false if none is left.
    bool embed(Embedding & embedding);

    // As PrefixMemory::restore.
    int restore(const Prefix & prefix, Session & session);
    // Once a prefix is computed: remembers its first `count` rows. `known` of them are from restore().
    void remember(const Prefix & prefix, const Session & session, int known, int count);

    // The decoder after the first patches of an utterance, and their samples; nullptr if not remembered. Valid until the
    // next remember_decoded().
    struct Decoded {
        std::unique_ptr<Saved> state;
        std::vector<float> samples;
    };
    const Decoded * find_decoded(const std::vector<float> & patches);
    void remember_decoded(const std::vector<float> & patches, Decoded decoded);

    const MemoryUse & use() const { return use_; }

private:
    void note_bytes();

    const Config & config_;
    Executor & executor_;
    RecentMap<std::vector<float>> embeddings_;
    PrefixMemory prefixes_;
    RecentMap<Decoded> decoded_;
    MemoryUse use_;
};

} // namespace svc
