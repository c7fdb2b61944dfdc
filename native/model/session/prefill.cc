#include "model/session/prefill.h"

#include <algorithm>
#include <numeric>

#include "ggml-executor/stages/attention_mask.h"

namespace svc {
namespace {

// Positions per pass: enough to read the weights rarely, few enough to bound memory and cancel quickly.
constexpr int chunk_positions = 256;
// Positions left to the first step: as many as share its pass over the weights without delaying the other sessions much.
// A few more are left too, as they alone aren't worth a pass.
constexpr int usual_pending = 64;

// Positions [begin, end); the first `cached` of them go through the language models.
struct Chunk {
    int begin, end, cached;
    size_t first_patch;
};

size_t max_nodes(const Network & network) {
    const int layers = network.base_lm.config().layers + network.residual_lm.config().layers;
    return static_cast<size_t>(layers) * (48 + 4 * update_nodes) + 512;
}

void run_chunk(
    const Network & network, const Compute & compute, Session & session, const Prefix & prefix,
    const std::vector<float> & patch_embeddings, const Chunk & chunk
) {
    const Config & config = network.config;
    const int n = chunk.end - chunk.begin;
    const int patches =
        static_cast<int>(std::count(prefix.audio.begin() + chunk.begin, prefix.audio.begin() + chunk.end, 1));
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
        const auto columns = [&](ggml_tensor * tensor, int first) {
            return ggml_view_2d(c, tensor, config.base_lm.hidden, pending, tensor->nb[1], first * tensor->nb[1]);
        };
        graph.expand(ggml_cpy(
            c, columns(embeddings, chunk.cached),
            columns(session.embeddings, chunk.begin + chunk.cached - session.length)
        ));
    }
    ggml_tensor *positions = nullptr, *rows = nullptr, *mask = nullptr, *audio = nullptr;
    const int kv_length = chunk.begin + chunk.cached;
    if (chunk.cached > 0) {
        positions = graph.input(GGML_TYPE_I32, chunk.cached);
        rows = graph.input(GGML_TYPE_I64, chunk.cached);
        mask = graph.input(GGML_TYPE_F16, kv_length, chunk.cached);
        audio = graph.input(GGML_TYPE_F32, 1, chunk.cached);
        ggml_tensor * x = ggml_view_2d(c, embeddings, config.base_lm.hidden, chunk.cached, embeddings->nb[1], 0);
        CachedSegment segment{
            .layers = session.cache.base_lm(),
            .columns = chunk.cached,
            .kv_length = kv_length,
            .rows = rows,
            .mask = mask,
            .adapter = session.adapter,
        };
        AdapterRuns adapters;
        adapters.add(session.adapter, chunk.cached);
        ggml_tensor * hidden =
            network.quantize_audio(graph, network.base_lm.build_cached(graph, x, positions, {segment}), audio);
        segment.layers = session.cache.residual_lm();
        network.residual_lm.build_cached(
            graph, network.fuse(graph, hidden, ggml_mul(c, x, audio), adapters), positions, {segment},
            std::vector<int>{}
        );
    }
    graph.allocate();

    graph.set(tokens, prefix.tokens.data() + chunk.begin, n * sizeof(int32_t));
    if (patches > 0) {
        graph.set(
            embedded, patch_embeddings.data() + chunk.first_patch * config.base_lm.hidden,
            static_cast<size_t>(patches) * config.base_lm.hidden * sizeof(float)
        );
        graph.set(order, combined_order(prefix.audio.begin() + chunk.begin, prefix.audio.begin() + chunk.end));
    }
    if (chunk.cached > 0) {
        std::vector<int32_t> position(chunk.cached);
        std::iota(position.begin(), position.end(), chunk.begin);
        graph.set(positions, position);
        graph.set(rows, std::vector<int64_t>(position.begin(), position.end()));
        graph.set(mask, causal_mask(kv_length, chunk.begin, chunk.cached));
        graph.set(
            audio,
            std::vector<float>(prefix.audio.begin() + chunk.begin, prefix.audio.begin() + chunk.begin + chunk.cached)
        );
    }
    graph.run();
    network.tokens.require_read();
}

} // namespace

Prefill::Prefill(
    const Network & network, const Compute & compute, VoiceMemory & memory, Session & session, Prefix prefix
)
    : network_(network), compute_(compute), memory_(memory), session_(session), prefix_(std::move(prefix)),
      embedding_(memory.begin_embedding(prefix_.features, session.adapter)) {
    // room for a short utterance; steps reserve more
    session.cache.reserve(static_cast<int>(prefix_.tokens.size()) + 64, 0);
    if (prefix_.audio.back() == 1) {
        ggml_backend_tensor_set(
            session.patch, prefix_.features.data() + prefix_.features.size() - network.config.patch_values(), 0,
            ggml_nbytes(session.patch)
        );
    }
}

bool Prefill::advance() {
    if (memory_.embed(embedding_)) return false;
    if (!positions_begun_) begin_positions();
    const int total = static_cast<int>(prefix_.tokens.size()), end = std::min(total, next_ + chunk_positions);
    if (next_ < end) {
        run_chunk(
            network_, compute_, session_, prefix_, embedding_.values,
            {next_, end, std::clamp(session_.length - next_, 0, end - next_), next_patch_}
        );
        next_patch_ += std::count(prefix_.audio.begin() + next_, prefix_.audio.begin() + end, 1);
        next_ = end;
    }
    if (next_ < total) return false;
    memory_.remember(prefix_, session_, known_, session_.length);
    return true;
}

void Prefill::begin_positions() {
    const int total = static_cast<int>(prefix_.tokens.size());
    known_ = memory_.restore(prefix_, session_);
    // the first step's positions are not remembered, so those of a reference are computed here
    const int needed = std::max(known_, prefix_.reference_length() / PrefixMemory::block * PrefixMemory::block);
    const int rest = total - needed;
    session_.length = total - (rest <= Session::max_pending ? rest : usual_pending);
    session_.pending.assign(prefix_.audio.begin() + session_.length, prefix_.audio.end());
    next_ = known_;
    next_patch_ = std::count(prefix_.audio.begin(), prefix_.audio.begin() + known_, 1);
    positions_begun_ = true;
}

} // namespace svc
