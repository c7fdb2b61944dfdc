#include "model/transformer.h"

#include <cmath>

#include "model/columns.h"
#include "runtime/error.h"

namespace svc {

Transformer::Transformer(
    Weights & weights, const std::string & prefix, const TransformerConfig & config, const RopeConfig & rope
)
    : prefix_(prefix), config_(config), rope_(rope) {
    if (weights.packs()) {
        cpu_ = std::make_unique<CpuStack>(weights, prefix, config, rope);
        return;
    }
    const int64_t queries = static_cast<int64_t>(config.heads) * config.head_dim;
    const int64_t keys = static_cast<int64_t>(config.kv_heads) * config.head_dim;
    for (int i = 0; i < config.layers; i++) {
        const std::string block = prefix + "blk." + std::to_string(i) + ".";
        layers_.push_back({
            weights.vector(block + "attn_norm.weight", config.hidden),
            weights.matrix(block + "attn_q.weight", config.hidden, queries),
            weights.matrix(block + "attn_k.weight", config.hidden, keys),
            weights.matrix(block + "attn_v.weight", config.hidden, keys),
            weights.matrix(block + "attn_output.weight", queries, config.hidden),
            weights.vector(block + "ffn_norm.weight", config.hidden),
            weights.matrix(block + "ffn_gate.weight", config.hidden, config.ffn),
            weights.matrix(block + "ffn_up.weight", config.hidden, config.ffn),
            weights.matrix(block + "ffn_down.weight", config.ffn, config.hidden),
        });
    }
    output_norm_ = weights.vector(prefix + "output_norm.weight", config.hidden);
    if (config.rope) {
        const std::vector<float> factors = rope.factors;
        rope_factors_ =
            weights.derived(GGML_TYPE_F32, static_cast<int64_t>(factors.size()), 1, [factors] { return factors; });
    }
}

ggml_tensor * Transformer::norm(Graph & graph, ggml_tensor * x, ggml_tensor * weight) const {
    return ggml_mul(graph.context(), ggml_rms_norm(graph.context(), x, config_.eps), weight);
}

// x [head_dim, heads, tokens, …]
ggml_tensor * Transformer::rotate(Graph & graph, ggml_tensor * x, ggml_tensor * positions) const {
    if (!config_.rope) return x;
    return ggml_rope_ext(
        graph.context(), x, positions, rope_factors_, config_.head_dim, GGML_ROPE_TYPE_NEOX, rope_.original_positions,
        rope_.theta, 1.0f, 0.0f, rope_.scale, 0.0f, 0.0f
    );
}

ggml_tensor * Transformer::adapted(
    Graph & graph, const Matrix & weight, size_t i, const char * name, ggml_tensor * x, const AdapterRuns & adapters
) const {
    return linear(graph, weight, x, nullptr, nullptr, prefix_ + "blk." + std::to_string(i) + ".attn_" + name, adapters);
}

ggml_tensor * Transformer::add_residual(Graph & graph, ggml_tensor * x, ggml_tensor * branch) const {
    if (config_.residual_scale != 1.0f) branch = ggml_scale(graph.context(), branch, config_.residual_scale);
    return ggml_add(graph.context(), x, branch);
}

ggml_tensor * Transformer::feed_forward(Graph & graph, const Layer & layer, ggml_tensor * x) const {
    ggml_tensor * h = norm(graph, x, layer.ffn_norm);
    h = ggml_swiglu_split(graph.context(), linear(graph, layer.gate, h), linear(graph, layer.up, h));
    return add_residual(graph, x, linear(graph, layer.down, h));
}

// q [head_dim, n, heads, s], k and v [head_dim, m, kv_heads, s] → [head_dim, heads, n, s]
ggml_tensor * Transformer::attend(
    Graph & graph, ggml_tensor * q, ggml_tensor * k, ggml_tensor * v, ggml_tensor * mask
) const {
    ggml_context * c = graph.context();
    const float scale = 1.0f / std::sqrt(static_cast<float>(config_.head_dim));
    ggml_tensor * fused = ggml_flash_attn_ext(c, q, k, v, mask, scale, 0.0f, 0.0f);
    if (graph.compute().supports(fused)) return fused;
    // for devices without a flash attention kernel for this head size
    ggml_tensor * weights = ggml_soft_max_ext(c, ggml_mul_mat(c, k, q), mask, scale, 0.0f);
    ggml_tensor * values = ggml_cont(c, ggml_permute(c, v, 1, 0, 2, 3));
    return ggml_cont(c, ggml_permute(c, ggml_mul_mat(c, values, weights), 0, 2, 1, 3));
}

// queries [head_dim, heads, n] → the attention weights of the last one over some cells of a cache: [cells, heads]
ggml_tensor * Transformer::look(
    Graph & graph, ggml_tensor * queries, ggml_tensor * keys, const TextCells & cells
) const {
    ggml_context * c = graph.context();
    const int64_t hd = config_.head_dim;
    ggml_tensor * query = ggml_view_3d(
        c, queries, hd, 1, config_.heads, queries->nb[2], queries->nb[1], (queries->ne[2] - 1) * queries->nb[2]
    );
    ggml_tensor * rows = ggml_view_3d(
        c, keys, hd, cells.count, config_.kv_heads, keys->nb[1], ggml_row_size(keys->type, hd),
        cells.first * keys->nb[1]
    );
    return ggml_soft_max_ext(c, ggml_mul_mat(c, rows, query), nullptr, 1.0f / std::sqrt(static_cast<float>(hd)), 0.0f);
}

ggml_tensor * Transformer::build_cached(
    Graph & graph, ggml_tensor * x, ggml_tensor * positions, const std::vector<CachedSegment> & segments,
    const std::optional<std::vector<int>> & wanted
) const {
    if (cpu_) {
        ggml_tensor * y = cpu_cached_stack(graph, *cpu_, x, positions, segments, wanted);
        graph.expand(y);
        return y;
    }
    ggml_context * c = graph.context();
    const int64_t n = x->ne[1];
    const int64_t hd = config_.head_dim, heads = config_.heads, kv_heads = config_.kv_heads;
    AdapterRuns adapters;
    for (const CachedSegment & segment : segments) adapters.add(segment.adapter, segment.columns);
    for (size_t i = 0; i < layers_.size(); i++) {
        const Layer & layer = layers_[i];
        ggml_tensor * h = norm(graph, x, layer.attention_norm);
        ggml_tensor * k =
            rotate(graph, ggml_reshape_3d(c, adapted(graph, layer.k, i, "k", h, adapters), hd, kv_heads, n), positions);
        ggml_tensor * v = ggml_reshape_3d(c, adapted(graph, layer.v, i, "v", h, adapters), hd, kv_heads, n);
        for (const CachedSegment & segment : segments) {
            const KvLayer & cache = segment.layers[i];
            ggml_tensor * k_rows =
                ggml_view_2d(c, k, hd * kv_heads, segment.columns, k->nb[2], segment.first_column * k->nb[2]);
            ggml_tensor * v_rows =
                ggml_view_2d(c, v, hd * kv_heads, segment.columns, v->nb[2], segment.first_column * v->nb[2]);
            graph.expand(ggml_set_rows(c, cache.k, k_rows, segment.rows));
            graph.expand(ggml_set_rows(c, cache.v, v_rows, segment.rows));
        }
        if (wanted && wanted->empty() && i + 1 == layers_.size()) return nullptr;
        ggml_tensor * q =
            rotate(graph, ggml_reshape_3d(c, adapted(graph, layer.q, i, "q", h, adapters), hd, heads, n), positions);
        ggml_tensor * attended = nullptr;
        for (const CachedSegment & segment : segments) {
            const KvLayer & cache = segment.layers[i];
            const auto cells = [&](ggml_tensor * rows) {
                return ggml_view_3d(
                    c, rows, hd, segment.kv_length, kv_heads, rows->nb[1], ggml_row_size(rows->type, hd), 0
                );
            };
            ggml_tensor * queries =
                ggml_view_3d(c, q, hd, heads, segment.columns, q->nb[1], q->nb[2], segment.first_column * q->nb[2]);
            ggml_tensor * part =
                attend(graph, ggml_permute(c, queries, 0, 2, 1, 3), cells(cache.k), cells(cache.v), segment.mask);
            part = ggml_reshape_2d(c, part, hd * heads, segment.columns);
            attended = attended ? ggml_concat(c, attended, part, 1) : part;
            if (segment.text)
                segment.text->weights.push_back(graph.output(look(graph, queries, cache.k, segment.text->cells)));
        }
        x = add_residual(graph, x, adapted(graph, layer.o, i, "output", attended, adapters));
        x = graph.tap("layer" + std::to_string(i) + ".out", feed_forward(graph, layer, x));
    }
    return norm(graph, wanted ? select_columns(c, x, *wanted) : x, output_norm_);
}

ggml_tensor * Transformer::build_local(
    Graph & graph, ggml_tensor * x, ggml_tensor * positions, int first, int count, const AdapterRuns & sequence_adapters
) const {
    if (cpu_) return cpu_local_stack(graph, *cpu_, x, first, count, sequence_adapters);
    ggml_context * c = graph.context();
    const int64_t hidden = config_.hidden, length = x->ne[1], sequences = x->ne[2];
    const int64_t hd = config_.head_dim, heads = config_.heads, kv_heads = config_.kv_heads;
    // selects the wanted tokens of each sequence, as columns
    const auto wanted = [&](ggml_tensor * columns) {
        if (count == length) return columns;
        const size_t column = columns->nb[1];
        return ggml_reshape_2d(
            c,
            ggml_cont(
                c, ggml_view_3d(c, columns, columns->ne[0], count, sequences, column, column * length, column * first)
            ),
            columns->ne[0], count * sequences
        );
    };
    x = ggml_reshape_2d(c, x, hidden, length * sequences);
    AdapterRuns adapters = sequence_adapters.widened(static_cast<int>(length));
    for (size_t i = 0; i < layers_.size(); i++) {
        const Layer & layer = layers_[i];
        // in the last layer all tokens are keys, but only the wanted ones are queries
        const bool last = i + 1 == layers_.size();
        const int64_t n = last ? count : length;
        ggml_tensor * h = norm(graph, x, layer.attention_norm);
        ggml_tensor * k = rotate(
            graph, ggml_reshape_4d(c, adapted(graph, layer.k, i, "k", h, adapters), hd, kv_heads, length, sequences),
            positions
        );
        ggml_tensor * v =
            ggml_reshape_4d(c, adapted(graph, layer.v, i, "v", h, adapters), hd, kv_heads, length, sequences);
        ggml_tensor * q_positions = positions;
        if (last) {
            h = wanted(h);
            x = wanted(x);
            adapters = sequence_adapters.widened(count);
            q_positions = ggml_view_1d(c, positions, count, first * ggml_type_size(positions->type));
        }
        ggml_tensor * q = rotate(
            graph, ggml_reshape_4d(c, adapted(graph, layer.q, i, "q", h, adapters), hd, heads, n, sequences),
            q_positions
        );
        ggml_tensor * attended = attend(
            graph, ggml_permute(c, q, 0, 2, 1, 3), ggml_permute(c, k, 0, 2, 1, 3), ggml_permute(c, v, 0, 2, 1, 3),
            nullptr
        );
        x = add_residual(
            graph, x,
            adapted(graph, layer.o, i, "output", ggml_reshape_2d(c, attended, hd * heads, n * sequences), adapters)
        );
        x = feed_forward(graph, layer, x);
    }
    return ggml_reshape_3d(c, norm(graph, x, output_norm_), hidden, count, sequences);
}

} // namespace svc
