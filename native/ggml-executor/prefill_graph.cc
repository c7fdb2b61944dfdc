#include "ggml-executor/prefill_graph.h"

#include <algorithm>
#include <numeric>

#include "ggml-executor/stages/attention_mask.h"

namespace svc {
namespace {

size_t max_nodes(const Network & network) {
    const int layers = network.base_lm.config().layers + network.residual_lm.config().layers;
    return static_cast<size_t>(layers) * (48 + 4 * update_nodes) + 512;
}

} // namespace

int PrefillGraph::columns_of(const Compute & compute, int count) {
    int columns = 16;
    while (columns < count) columns *= 2;
    return compute.kernels() ? columns : count;
}

PrefillGraph::PrefillGraph(
    const Network & network, const Compute & compute, const GgmlSessionMemory & memory, const PrefillColumns & columns,
    const AdapterUse & adapter
)
    : network_(network), most_columns_(columns_of(compute, columns.count)), graph_(compute, max_nodes(network)) {
    const int kv_length = columns.first + columns.count;
    positions_ = graph_.input(GGML_TYPE_I32, most_columns_);
    rows_ = graph_.input(GGML_TYPE_I64, columns.count);
    mask_ = graph_.input(GGML_TYPE_F16, kv_length, columns.count);
    audio_ = graph_.input(GGML_TYPE_F32, 1, most_columns_);
    x_ = graph_.input(GGML_TYPE_F32, network.config.base_lm.hidden, most_columns_);
    describe(memory, columns, adapter);
    ggml_tensor * hidden = network.quantize_audio(
        graph_, network.base_lm.build_cached(graph_, x_, positions_, base_), audio_, &base_.runs
    );
    network.residual_lm.build_cached(
        graph_, network.fuse(graph_, hidden, ggml_mul(graph_.context(), x_, audio_), &base_.runs), positions_, residual_
    );
    graph_.allocate();
}

void PrefillGraph::describe(
    const GgmlSessionMemory & memory, const PrefillColumns & columns, const AdapterUse & adapter
) {
    CachedSegment segment{
        .layers = memory.cache.base_lm(),
        .columns = columns.count,
        .kv_length = columns.first + columns.count,
        .rows = rows_,
        .mask = mask_,
    };
    base_ = residual_ = {};
    base_.segments.push_back(segment);
    base_.runs.add(adapter, columns.count);
    segment.layers = memory.cache.residual_lm();
    residual_.segments.push_back(segment);
    residual_.runs = base_.runs;
    residual_.wanted.emplace();
}

void PrefillGraph::run(const GgmlSessionMemory & memory, const PrefillColumns & columns, const AdapterUse & adapter) {
    describe(memory, columns, adapter);
    std::vector<int32_t> positions(columns.count);
    std::iota(positions.begin(), positions.end(), columns.first);
    std::vector<int64_t> rows(positions.begin(), positions.end());
    const size_t width = network_.config.base_lm.hidden;
    std::vector<float> x(columns.inputs, columns.inputs + width * columns.count),
        audio(columns.audio, columns.audio + columns.count);
    positions.resize(most_columns_);
    x.resize(width * most_columns_);
    audio.resize(most_columns_);
    graph_.set(x_, x);
    graph_.set(positions_, positions);
    graph_.set(audio_, audio);
    if (rows_->buffer) {
        graph_.set(rows_, rows);
        graph_.set(mask_, causal_mask(columns.first + columns.count, columns.first, columns.count));
    }
    graph_.run();
}

} // namespace svc
