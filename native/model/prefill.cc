#include "model/prefill.h"

#include <algorithm>
#include <numeric>

#include "model/attention_mask.h"
#include "runtime/error.h"

namespace svc {
namespace {

// Positions of one pass: enough columns to read the weights rarely, few enough to bound memory and cancel soon.
constexpr int chunk_positions = 256;

// A chunk of positions [begin, end) of which the first `cached` go through the language models.
struct Chunk {
    int begin, end, cached;
    size_t first_patch;
};

size_t max_nodes(const Network & network) {
    const int layers = network.base_lm.config().layers + network.residual_lm.config().layers;
    return static_cast<size_t>(layers) * 48 + 512;
}

void run_chunk(const Network & network, const Compute & compute, Slot & slot, const Prefix & prefix, const std::vector<float> & patch_embeddings, const Chunk & chunk) {
    const Config & config = network.config;
    const int n = chunk.end - chunk.begin;
    const int patches = static_cast<int>(std::count(prefix.audio.begin() + chunk.begin, prefix.audio.begin() + chunk.end, 1));
    Graph graph(compute, max_nodes(network));
    ggml_context * c = graph.context();

    ggml_tensor * tokens = graph.input(GGML_TYPE_I32, n);
    ggml_tensor * embeddings = nullptr;
    ggml_tensor *embedded = nullptr, *order = nullptr;
    if (patches > 0) {
        embedded = graph.input(GGML_TYPE_F32, config.base_lm.hidden, patches);
        order = graph.input(GGML_TYPE_I32, n);
        embeddings = network.combine(graph, tokens, embedded, order);
    } else {
        embeddings = network.embed(graph, tokens);
    }

    if (const int pending = n - chunk.cached; pending > 0) {
        const auto columns = [&](ggml_tensor * tensor, int first) { return ggml_view_2d(c, tensor, config.base_lm.hidden, pending, tensor->nb[1], first * tensor->nb[1]); };
        graph.expand(ggml_cpy(c, columns(embeddings, chunk.cached), columns(slot.embeddings, chunk.begin + chunk.cached - slot.length)));
    }
    ggml_tensor *positions = nullptr, *rows = nullptr, *mask = nullptr, *audio = nullptr;
    const int kv_length = chunk.begin + chunk.cached;
    if (chunk.cached > 0) {
        positions = graph.input(GGML_TYPE_I32, chunk.cached);
        rows = graph.input(GGML_TYPE_I64, chunk.cached);
        mask = graph.input(GGML_TYPE_F16, kv_length, chunk.cached);
        audio = graph.input(GGML_TYPE_F32, 1, chunk.cached);
        ggml_tensor * x = ggml_view_2d(c, embeddings, config.base_lm.hidden, chunk.cached, embeddings->nb[1], 0);
        CachedSegment segment{slot.cache.base_lm(), 0, chunk.cached, kv_length, rows, mask};
        ggml_tensor * hidden = network.quantize_audio(graph, network.base_lm.build_cached(graph, x, positions, {segment}), audio);
        segment.layers = slot.cache.residual_lm();
        network.residual_lm.build_cached(graph, network.fuse(graph, hidden, ggml_mul(c, x, audio)), positions, {segment}, std::vector<int>{});
    }
    graph.allocate();

    graph.set(tokens, prefix.tokens.data() + chunk.begin, n * sizeof(int32_t));
    if (patches > 0) {
        graph.set(embedded, patch_embeddings.data() + chunk.first_patch * config.base_lm.hidden, static_cast<size_t>(patches) * config.base_lm.hidden * sizeof(float));
        graph.set(order, combined_order(prefix.audio.begin() + chunk.begin, prefix.audio.begin() + chunk.end));
    }
    if (chunk.cached > 0) {
        std::vector<int32_t> position(chunk.cached);
        std::iota(position.begin(), position.end(), chunk.begin);
        graph.set(positions, position);
        graph.set(rows, std::vector<int64_t>(position.begin(), position.end()));
        graph.set(mask, causal_mask(kv_length, chunk.begin, chunk.cached));
        graph.set(audio, std::vector<float>(prefix.audio.begin() + chunk.begin, prefix.audio.begin() + chunk.begin + chunk.cached));
    }
    graph.run();
}

} // namespace

void prefill(const Network & network, const Compute & compute, VoiceMemory & memory, Slot & slot, const Prefix & prefix, const std::atomic<int> & cancel) {
    const Config & config = network.config;
    const int total = static_cast<int>(prefix.tokens.size());
    // room for a short utterance at once; steps reserve the rest
    slot.cache.reserve(total + 64, 0);
    slot.storage.clear();
    slot.vae->clear();
    if (prefix.audio.back() == 1) {
        ggml_backend_tensor_set(slot.patch, prefix.features.data() + prefix.features.size() - config.patch_values(), 0, ggml_nbytes(slot.patch));
    }
    const std::vector<float> patch_embeddings = memory.embed(prefix.features, cancel);
    const int known = memory.restore(prefix, slot);
    // what is remembered of it has to be computed here
    const int needed = std::max(known, memory.remembers(prefix));
    slot.length = total - std::min(total - needed, Slot::max_pending);
    slot.pending.assign(prefix.audio.begin() + slot.length, prefix.audio.end());
    size_t patch = std::count(prefix.audio.begin(), prefix.audio.begin() + known, 1);
    for (int begin = known; begin < total; begin += chunk_positions) {
        if (cancel.load(std::memory_order_relaxed)) fail("CANCELLED", "cancelled");
        const int end = std::min(total, begin + chunk_positions);
        run_chunk(network, compute, slot, prefix, patch_embeddings, {begin, end, std::clamp(slot.length - begin, 0, end - begin), patch});
        patch += std::count(prefix.audio.begin() + begin, prefix.audio.begin() + end, 1);
    }
    if (known == 0) memory.remember(prefix, slot);
}

} // namespace svc
