// A transformer stack on a team of threads. A layer has five phases: qkv with RoPE, attention, o, the gated product, down.
// Each also prepares the input of the next, so that nothing else needs a phase of its own.
namespace svc {
namespace SVC_ISA {

inline void copy(float * to, const float * from, int count) {
    for (int i = 0; i < count; i++) to[i] = from[i];
}

// rotation holds cos and sin of head_dim / 2 angles; value i is paired with value i + head_dim / 2
inline void rotate(float * head, const float * rotation, int head_dim) {
    const int half = head_dim / 2;
    const float * cosine = rotation;
    const float * sine = rotation + half;
    int i = 0;
    for (; i + 16 <= half; i += 16) {
        const F32x16 a = f_load(head + i), b = f_load(head + half + i), c = f_load(cosine + i), s = f_load(sine + i);
        f_store(head + i, f_fnma(b, s, f_mul(a, c)));
        f_store(head + half + i, f_fma(a, s, f_mul(b, c)));
    }
    for (; i < half; i++) {
        const float a = head[i], b = head[half + i];
        head[i] = a * cosine[i] - b * sine[i];
        head[half + i] = b * cosine[i] + a * sine[i];
    }
}

// The members' view of a stack.
struct Stack {
    Member & member;
    const StackJob & job;
    const StackWeights & w;
    const StackScratch & scratch;
    int group, q_width, kv_width; // heads per key; values of all queries and of all keys
    float * memory;               // of this member
};

inline Stack stack_of(Member & member, const StackJob & job) {
    const StackWeights & w = *job.weights;
    const StackScratch & scratch = *job.scratch;
    return {
        .member = member,
        .job = job,
        .w = w,
        .scratch = scratch,
        .group = w.heads / w.kv_heads,
        .q_width = w.heads * w.head_dim,
        .kv_width = w.kv_heads * w.head_dim,
        .memory = scratch.attention + member.index * scratch.attention_stride,
    };
}

// This member's factors of the norm of each column.
inline float * factors_of(const Stack & s, int columns) {
    return s.scratch.factors + static_cast<size_t>(s.member.index) * columns;
}

// Columns of x as input of the first layer.
inline void prepare_columns(const Stack & s, int first, int last) {
    const LayerWeights & layer = s.w.layer[0];
    prepare(
        layer.qkv.kind, s.scratch.x.data, s.scratch.x.stride, s.w.hidden, layer.attention_norm, s.scratch.normed, first,
        last
    );
}

// Adds a head of the keys or values of a column to those of its sequence in a layer; both follow the heads of queries.
inline void keep_head(const Stack & s, int layer, int column, int head) {
    const int hd = s.w.head_dim, kv_head = (head - s.w.heads) % s.w.kv_heads;
    const StackColumn & at = s.job.column[column];
    const int place = layer * s.job.sequences + at.sequence;
    const float * from = s.scratch.qkv.data + column * s.scratch.qkv.stride + head * hd;
    if (head >= s.w.heads + s.w.kv_heads)
        return copy(s.job.values[place] + static_cast<size_t>(at.position) * s.kv_width + kv_head * hd, from, hd);
    float * to = s.job.keys[place] +
        static_cast<size_t>(at.position / key_block * s.kv_width + kv_head * hd) * key_block + at.position % key_block;
    for (int d = 0; d < hd; d++) to[d * key_block] = from[d];
}

// qkv = weight · normed x, with RoPE; keys and values go to those of their sequences.
inline void project_qkv(const Stack & s, int l) {
    const int columns = s.job.columns, head_dim = s.w.head_dim, heads = s.w.heads + 2 * s.w.kv_heads;
    const ProductJob qkv{
        .weight = &s.w.layer[l].qkv,
        .x = s.scratch.normed,
        .columns = columns,
        .out = s.scratch.qkv,
        .eps = s.w.eps,
        .factors = factors_of(s, columns),
        .adapted = s.job.adapted,
        .update = 2 * l,
        .low = s.scratch.low,
    };
    const auto place = [&](int first, int last, int begin, int end) {
        for (int c = begin; c < end; c++) {
            for (int h = first; h < last; h++) {
                if (h < s.w.heads + s.w.kv_heads && s.w.rope)
                    rotate(
                        s.scratch.qkv.data + c * s.scratch.qkv.stride + h * head_dim,
                        s.scratch.rotation + static_cast<size_t>(c) * head_dim, head_dim
                    );
                if (h >= s.w.heads) keep_head(s, l, c, h);
            }
        }
    };
    if (head_dim % block_depth == 0 || head_dim * 2 == block_depth) {
        const int step = at_least(head_dim / block_depth, 1);
        return multiply(s.member, qkv, step, [&](int row, int end_row, int begin, int end) {
            place(row / head_dim, end_row / head_dim, begin, end);
        });
    }
    // parts of the product end within a head
    multiply(s.member, qkv);
    share_range(s.member, columns, [&](int begin, int end) { place(0, heads, begin, end); });
}

// Whether the output of attention is quantized head by head as soon as it is computed.
inline bool quantizes_heads(const StackWeights & w, const LayerWeights & layer) {
    return layer.o.quantized() && w.head_dim % block_depth == 0;
}

// `count` heads from `head` of a column of scratch.attended, as input of o.
inline void prepare_heads(const Stack & s, const LayerWeights & layer, int column, int head, int count) {
    if (!quantizes_heads(s.w, layer)) return;
    const float * from = s.scratch.attended.data + column * s.scratch.attended.stride;
    for (int row = head * s.w.head_dim; row < (head + count) * s.w.head_dim; row += block_depth) {
        prepare_block(layer.o.kind, from, s.q_width, nullptr, s.scratch.inner, column, row / block_depth);
    }
}

// Parts of the heads that share keys, so that there are units for all members: a power of two. Each part reads the keys
// and values again, which takes longer than the rest when they are many.
inline int head_parts(const Stack & s, int units, int positions) {
    constexpr int many = 512;
    const int enough = positions < many ? 2 * s.member.size : s.member.size;
    int parts = 1;
    while (units * parts < enough && s.group % (2 * parts) == 0) parts *= 2;
    return parts;
}

// Keeps the columns origin(0), origin(1), … of x.
template <typename Origin>
inline void compact(const Stack & s, int columns, const Origin & origin) {
    const Span & x = s.scratch.x;
    for (int c = 0; c < columns; c++) {
        if (origin(c) != c) copy(x.data + c * x.stride, x.data + origin(c) * x.stride, s.w.hidden);
    }
}

// Makes rows of x, once they are there, the input of a product of `weight` behind an RMS norm.
inline auto prepare_rows(const Stack & s, const Packed & weight, const float * norm) {
    return [&s, &weight, norm](int row, int end_row, int begin, int end) {
        const Span & x = s.scratch.x;
        for (int c = begin; c < end; c++) {
            for (int b = row / block_depth; b * block_depth < end_row; b++)
                prepare_block(weight.kind, x.data + c * x.stride, s.w.hidden, norm, s.scratch.normed, c, b);
        }
    };
}

// x += residual_scale · weight · scratch.inner
inline ProductJob added_to_x(const Stack & s, const Packed & weight, int columns) {
    const Span & x = s.scratch.x;
    return {
        .weight = &weight,
        .x = s.scratch.inner,
        .columns = columns,
        .out = x,
        .residual = x.data,
        .residual_stride = x.stride,
        .residual_scale = s.w.residual_scale,
    };
}

// Adds the projected output of attention to x; prepares the input of the gated product.
inline void project_attended(const Stack & s, int l, int columns) {
    const LayerWeights & layer = s.w.layer[l];
    const Span & attended = s.scratch.attended;
    ProductJob o = added_to_x(s, layer.o, columns);
    o.adapted = l + 1 == s.w.layers ? s.job.last_adapted : s.job.adapted;
    o.update = 2 * l + 1;
    o.low = s.scratch.low;
    if (!layer.o.quantized()) {
        o.x.floats = attended.data;
        o.x.stride = attended.stride;
    } else if (!quantizes_heads(s.w, layer)) {
        share_range(s.member, columns, [&](int begin, int end) {
            prepare(layer.o.kind, attended.data, attended.stride, s.q_width, nullptr, s.scratch.inner, begin, end);
        });
    }
    multiply(s.member, o, 1, prepare_rows(s, layer.gate_up, layer.ffn_norm));
}

// The gated product, to scratch.inner if down reads bytes, else to scratch.ffn.
inline void multiply_gated(const Stack & s, const LayerWeights & layer, int columns) {
    ProductJob up{
        .weight = &layer.gate_up,
        .x = s.scratch.normed,
        .columns = columns,
        .out = s.scratch.ffn,
        .eps = s.w.eps,
        .factors = factors_of(s, columns),
        .swiglu = true,
    };
    if (layer.down.quantized()) {
        up.gated = s.scratch.inner;
        up.gated_for = layer.down.kind;
        up.out = {s.scratch.ffn.data + static_cast<size_t>(s.member.index) * columns * block_depth, block_depth};
    }
    multiply(s.member, up);
}

// The rest of a layer after attention, for `columns` columns of x. Prepares the input of the next layer, if any.
inline void finish_layer(const Stack & s, int l, int columns) {
    const LayerWeights & layer = s.w.layer[l];
    project_attended(s, l, columns);
    multiply_gated(s, layer, columns);
    ProductJob down = added_to_x(s, layer.down, columns);
    if (!layer.down.quantized()) {
        down.x.floats = s.scratch.ffn.data;
        down.x.stride = s.scratch.ffn.stride;
    }
    if (l + 1 == s.w.layers) return multiply(s.member, down);
    const LayerWeights & next = s.w.layer[l + 1];
    multiply(s.member, down, 1, prepare_rows(s, next.qkv, next.attention_norm));
}

// out = x of a column, RMS-normed
inline void write_normed(const Stack & s, int column, const Span & out, int to) {
    const float * x = s.scratch.x.data + column * s.scratch.x.stride;
    float * y = out.data + to * out.stride;
    const F32x16 factor =
        f_set(1.0f / __builtin_sqrtf(square_sum(x, s.w.hidden) / static_cast<float>(s.w.hidden) + s.w.eps));
    for (int i = 0; i < s.w.hidden; i += 16) {
        const int count = s.w.hidden - i;
        store_some(y + i, f_mul(f_mul(load_some(x + i, count), factor), load_some(s.w.output_norm + i, count)), count);
    }
}

// Attention of `heads` heads from `first_head`, which share keys, of the columns origin(place) of a group. The result goes
// to attended and, prepared, to the input of o.
template <typename Origin>
inline void attend_group(
    const Stack & s, int l, const ColumnGroup & group, int first_head, int heads, const Origin & origin
) {
    const StackJob & job = s.job;
    const Span &qkv = s.scratch.qkv, &attended = s.scratch.attended;
    const int hd = s.w.head_dim, kv_head = first_head / s.group, sequence = job.column[origin(group.first)].sequence;
    const float * keys = job.keys[l * job.sequences + sequence] + static_cast<size_t>(kv_head) * hd * key_block;
    const float * values = job.values[l * job.sequences + sequence] + kv_head * hd;
    const size_t key_stride = static_cast<size_t>(s.kv_width) * key_block;
    const PeakRange & range = job.peak_ranges[sequence];
    Query queries[most_queries];
    int count = 0;
    const auto flush = [&] {
        if (count > 0) attend(queries, count, keys, key_stride, values, s.kv_width, hd, s.memory);
        count = 0;
    };
    for (int place = group.first; place < group.first + group.count; place++) {
        const int c = origin(place);
        for (int h = first_head; h < first_head + heads; h++) {
            const float * query = qkv.data + c * qkv.stride + h * hd;
            if (range.count > 0 && range.column == c)
                range.peaks[l * s.w.heads + h] = attention_peak(
                    query, keys, key_stride, range.first, range.count, hd, s.memory + attention_floats(hd)
                );
            queries[count++] = {query, attended.data + place * attended.stride + h * hd, job.column[c].seen};
            if (count == most_queries) flush();
        }
    }
    flush();
    for (int place = group.first; place < group.first + group.count; place++)
        prepare_heads(s, s.w.layer[l], place, first_head, heads);
}

// The layers; scratch.x holds the input, which is prepared for the first one. Afterwards, x has the wanted columns.
inline void run_layers(const Stack & s) {
    const StackJob & job = s.job;
    const StackWeights & w = s.w;
    for (int l = 0; l < w.layers; l++) {
        const bool last = l + 1 == w.layers;
        project_qkv(s, l);
        // after the keys and values of the last layer, only the wanted columns are needed
        const int query_columns = last ? job.wanted_count : job.columns;
        if (query_columns == 0) return;
        const ColumnGroup * groups = last ? job.wanted_groups : job.groups;
        const int units = (last ? job.wanted_group_count : job.group_count) * w.kv_heads,
                  parts = head_parts(s, units, job.longest), heads = s.group / parts;
        const auto origin = [&](int place) { return last ? job.wanted[place] : place; };
        share(s.member, units * parts + 1, [&](int unit) {
            if (unit == units * parts) return compact(s, query_columns, origin);
            const int first_head = unit % (w.kv_heads * parts) * heads;
            attend_group(s, l, groups[unit / (w.kv_heads * parts)], first_head, heads, origin);
        });
        finish_layer(s, l, query_columns);
        if (job.layer_outputs) {
            share(s.member, job.columns, [&](int c) {
                copy(
                    job.layer_outputs[l] + static_cast<size_t>(c) * w.hidden, s.scratch.x.data + c * s.scratch.x.stride,
                    w.hidden
                );
            });
        }
    }
}

inline void stack(const StackJob & job, Member & member) {
    const Stack s = stack_of(member, job);
    share_range(member, job.columns, [&](int first, int last) { prepare_columns(s, first, last); });
    run_layers(s);
    release_tiles(member);
    share(member, job.wanted_count, [&](int column) { write_normed(s, column, job.out, column); });
}

} // namespace SVC_ISA
} // namespace svc
