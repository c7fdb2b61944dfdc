#include "ggml-executor/stages/transformer.h"

#include <cmath>

#include "ggml-executor/stages/columns.h"
#include "ggml-executor/cpu/cpu_stack.h"

namespace svc {

Transformer::Transformer(Weights & weights, Stack stack, const RopeConfig & rope)
    : layers_(std::move(stack), rope), on_kernels_(weights.packs()) {
    if (on_kernels_ || !config().rope) return;
    const std::vector<float> factors = rope.factors;
    rope_factors_ =
        weights.derived(GGML_TYPE_F32, static_cast<int64_t>(factors.size()), 1, [factors] { return factors; });
}

ggml_tensor * Transformer::norm(Graph & graph, ggml_tensor * x, ggml_tensor * weight) const {
    return ggml_mul(graph.context(), ggml_rms_norm(graph.context(), x, config().eps), weight);
}

// x [head_dim, heads, tokens, …]
ggml_tensor * Transformer::rotate(Graph & graph, ggml_tensor * x, ggml_tensor * positions) const {
    if (!config().rope) return x;
    return ggml_rope_ext(
        graph.context(), x, positions, rope_factors_, config().head_dim, GGML_ROPE_TYPE_NEOX,
        layers_.rope().original_positions, layers_.rope().theta, 1.0f, 0.0f, layers_.rope().scale, 0.0f, 0.0f
    );
}

ggml_tensor * Transformer::add_residual(Graph & graph, ggml_tensor * x, ggml_tensor * branch) const {
    if (config().residual_scale != 1.0f) branch = ggml_scale(graph.context(), branch, config().residual_scale);
    return ggml_add(graph.context(), x, branch);
}

// q [head_dim, n, heads, s], k and v [head_dim, m, kv_heads, s] → [head_dim, heads, n, s]
ggml_tensor * Transformer::attend(
    Graph & graph, ggml_tensor * q, ggml_tensor * k, ggml_tensor * v, ggml_tensor * mask
) const {
    ggml_context * c = graph.context();
    const float scale = 1.0f / std::sqrt(static_cast<float>(config().head_dim));
    ggml_tensor * fused = ggml_flash_attn_ext(c, q, k, v, mask, scale, 0.0f, 0.0f);
    if (graph.compute().supports(fused)) return fused;
    // for devices without a flash attention kernel for this head size
    ggml_tensor * weights = ggml_soft_max_ext(c, ggml_mul_mat(c, k, q), mask, scale, 0.0f);
    ggml_tensor * values = ggml_cont(c, ggml_permute(c, v, 1, 0, 2, 3));
    return ggml_cont(c, ggml_permute(c, ggml_mul_mat(c, values, weights), 0, 2, 1, 3));
}

// queries [head_dim, heads, n] → the attention weights of the last one over some cells of a cache: [cells, heads]
ggml_tensor * Transformer::text_attention(
    Graph & graph, ggml_tensor * queries, ggml_tensor * keys, const TextCells & cells
) const {
    ggml_context * c = graph.context();
    const int64_t hd = config().head_dim;
    ggml_tensor * query = ggml_view_3d(
        c, queries, hd, 1, config().heads, queries->nb[2], queries->nb[1], (queries->ne[2] - 1) * queries->nb[2]
    );
    ggml_tensor * rows = ggml_view_3d(
        c, keys, hd, cells.count, config().kv_heads, keys->nb[1], ggml_row_size(keys->type, hd),
        cells.first * keys->nb[1]
    );
    return ggml_soft_max_ext(c, ggml_mul_mat(c, rows, query), nullptr, 1.0f / std::sqrt(static_cast<float>(hd)), 0.0f);
}

ggml_tensor * Transformer::build(Graph & graph, ggml_tensor * x, const Batch & batch) const {
    ggml_context * c = graph.context();
    const int64_t hd = config().head_dim;
    const std::vector<Layer> & layers = layers_.all();
    for (size_t i = 0; i < layers.size(); i++) {
        const auto & [attention_norm, qkv, o, ffn_norm, gate_up, down] = layers[i];
        const bool last = i + 1 == layers.size();
        ggml_tensor * h = norm(graph, x, attention_norm);
        const auto heads = [&](const Matrix & matrix) {
            ggml_tensor * rows = linear(graph, matrix, h, nullptr, nullptr, batch.runs);
            return ggml_reshape_4d(c, rows, hd, matrix.out / hd, batch.length, batch.sequences);
        };
        ggml_tensor * k = rotate(graph, heads(qkv.parts[1]), batch.positions);
        ggml_tensor * v = heads(qkv.parts[2]);
        if (batch.keep) batch.keep(i, k, v);
        if (last && !batch.wants_any) return nullptr;
        ggml_tensor * q = rotate(graph, heads(qkv.parts[0]), batch.positions);
        ggml_tensor * attended = batch.attend(i, q, k, v);
        if (last) {
            attended = batch.select(attended);
            x = batch.select(x);
        }
        const AdapterRuns * runs = last ? batch.wanted_runs : batch.runs;
        x = add_residual(graph, x, linear(graph, o.parts[0], attended, nullptr, nullptr, runs));
        h = norm(graph, x, ffn_norm);
        h = ggml_swiglu_split(c, linear(graph, gate_up.parts[0], h), linear(graph, gate_up.parts[1], h));
        x = graph.tap("layer" + std::to_string(i) + ".out", add_residual(graph, x, linear(graph, down.parts[0], h)));
    }
    return norm(graph, x, layers_.output_norm());
}

ggml_tensor * Transformer::build_cached(
    Graph & graph, ggml_tensor * x, ggml_tensor * positions, const CachedPass & pass
) const {
    const std::vector<CachedSegment> & segments = pass.segments;
    const std::optional<std::vector<int>> & wanted = pass.wanted;
    if (on_kernels_) {
        ggml_tensor * y = cpu_cached_stack(graph, layers_, x, positions, pass);
        graph.expand(y);
        return y;
    }
    const AdapterRuns wanted_runs = wanted ? pass.runs.selected(*wanted) : pass.runs;
    ggml_context * c = graph.context();
    const int64_t hd = config().head_dim, heads = config().heads, kv_heads = config().kv_heads;
    const auto keep = [&](size_t layer, ggml_tensor * k, ggml_tensor * v) {
        for (const CachedSegment & segment : segments) {
            const auto store = [&](ggml_tensor * cache, ggml_tensor * x) {
                ggml_tensor * rows =
                    ggml_view_2d(c, x, hd * kv_heads, segment.columns, x->nb[2], segment.first_column * x->nb[2]);
                graph.expand(ggml_set_rows(c, cache, rows, segment.rows));
            };
            store(segment.layers[layer].k, k);
            store(segment.layers[layer].v, v);
        }
    };
    const auto attend_cached = [&](size_t layer, ggml_tensor * q, ggml_tensor *, ggml_tensor *) {
        ggml_tensor * attended = nullptr;
        for (const CachedSegment & segment : segments) {
            const KvLayer & cache = segment.layers[layer];
            const auto cells = [&](ggml_tensor * rows) {
                return ggml_view_3d(
                    c, rows, hd, segment.kv_length, kv_heads, rows->nb[1], ggml_row_size(rows->type, hd), 0
                );
            };
            ggml_tensor * queries =
                ggml_view_3d(c, q, hd, heads, segment.columns, q->nb[1], q->nb[2], segment.first_column * q->nb[2]);
            ggml_tensor * part =
                attend(graph, ggml_permute(c, queries, 0, 2, 1, 3), cells(cache.k), cells(cache.v), segment.mask);
            attended = join(c, attended, ggml_reshape_2d(c, part, hd * heads, segment.columns), 1);
            if (segment.text)
                segment.text->weights.push_back(
                    graph.output(text_attention(graph, queries, cache.k, segment.text->cells))
                );
        }
        return attended;
    };
    return build(
        graph, x,
        {
            .positions = positions,
            .length = x->ne[1],
            .sequences = 1,
            .wants_any = !wanted || !wanted->empty(),
            .runs = &pass.runs,
            .wanted_runs = &wanted_runs,
            .keep = keep,
            .attend = attend_cached,
            .select = [&](ggml_tensor * columns) { return wanted ? select_columns(c, columns, *wanted) : columns; },
        }
    );
}

ggml_tensor * Transformer::build_local(
    Graph & graph, ggml_tensor * x, ggml_tensor * positions, int first, int count, const AdapterRuns * runs
) const {
    if (on_kernels_) return cpu_local_stack(graph, layers_, x, first, count, runs);
    ggml_context * c = graph.context();
    const int64_t hidden = x->ne[0], length = x->ne[1], sequences = x->ne[2];
    const auto attend_all = [&](size_t, ggml_tensor * q, ggml_tensor * k, ggml_tensor * v) {
        const auto tokens_first = [&](ggml_tensor * heads) { return ggml_permute(c, heads, 0, 2, 1, 3); };
        ggml_tensor * attended = attend(graph, tokens_first(q), tokens_first(k), tokens_first(v), nullptr);
        return ggml_reshape_2d(c, attended, q->ne[0] * q->ne[1], length * sequences);
    };
    const auto select = [&](ggml_tensor * columns) {
        if (count == length) return columns;
        const size_t column = columns->nb[1];
        ggml_tensor * view =
            ggml_view_3d(c, columns, columns->ne[0], count, sequences, column, column * length, column * first);
        return ggml_reshape_2d(c, ggml_cont(c, view), columns->ne[0], count * sequences);
    };
    const AdapterRuns all = runs ? runs->widened(static_cast<int>(length)) : AdapterRuns(),
                      wanted = runs ? runs->widened(count) : AdapterRuns();
    ggml_tensor * y = build(
        graph, ggml_reshape_2d(c, x, hidden, length * sequences),
        {
            .positions = positions,
            .length = length,
            .sequences = sequences,
            .wants_any = true,
            .runs = &all,
            .wanted_runs = &wanted,
            .keep = nullptr,
            .attend = attend_all,
            .select = select,
        }
    );
    return ggml_reshape_3d(c, y, hidden, count, sequences);
}

} // namespace svc
