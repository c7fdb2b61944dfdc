// Flow matching on a team of threads: all Euler steps of a few patches, with both guidance branches as one batch.
namespace svc {
namespace SVC_ISA {

inline float dot(const float * a, const float * b, int count) {
    F32x16 sum = f_zero();
    for (int i = 0; i < count; i += 16) sum = f_fma(load_some(a + i, count - i), load_some(b + i, count - i), sum);
    return f_sum(sum);
}

// Columns of input of a product with `weight`, in the memory that normed columns use otherwise.
inline Columns plain_columns(const FlowJob & job, const Packed & weight, const Span & x) {
    Columns columns = job.dit.scratch->normed;
    columns.squares = nullptr;
    if (!weight.quantized()) {
        columns.floats = x.data;
        columns.stride = x.stride;
    }
    return columns;
}

inline void prepare_plain(const FlowJob & job, const Packed & weight, const Span & x, int first, int last) {
    if (weight.quantized())
        prepare(weight.kind, x.data, x.stride, weight.depth, nullptr, job.dit.scratch->normed, first, last);
}

inline void project(
    Member & member, const FlowJob & job, const Packed & weight, const float * bias, const Span & x, int columns,
    const Span & out
) {
    const ProductJob product{
        .weight = &weight,
        .x = plain_columns(job, weight, x),
        .columns = columns,
        .out = out,
        .bias = bias,
    };
    multiply(member, product);
}

// Token t of a sequence. Sequences: the guided ones first, then the same with mu = 0.
inline void write_token(const FlowJob & job, const float * time, int head, int sequence, int t, float * token) {
    const int hidden = job.dit.weights->hidden, p = job.patch_size, session = sequence % job.sessions;
    if (t >= head) {
        const Span & from = t < head + p ? job.cond_hidden : job.hidden;
        return copy(token, from.data + (session * p + (t - head) % p) * from.stride, hidden);
    }
    const float * mu = t < job.mu_tokens && sequence < job.sessions
        ? job.mu + (static_cast<size_t>(session) * job.mu_tokens + t) * hidden
        : nullptr;
    const bool timed = job.mu_tokens == 1 || t == job.mu_tokens;
    for (int i = 0; i < hidden; i++) token[i] = (mu ? mu[i] : 0.0f) + (timed ? time[i] : 0.0f);
}

// An Euler step of one session.
inline void move(const FlowJob & job, float step, int s) {
    const int values = job.patch_size * job.feature_dim;
    const float * conditional = job.velocity.data + static_cast<size_t>(s) * values;
    const float * unconditional = job.velocity.data + static_cast<size_t>(job.sessions + s) * values;
    const float scale =
        job.zero_star ? dot(conditional, unconditional, values) / (square_sum(unconditional, values) + 1e-8f) : 1.0f;
    for (int i = 0; i < values; i++) {
        const float base = unconditional[i] * scale;
        job.out[s * values + i] -= (base + job.cfg[s] * (conditional[i] - base)) * step;
    }
}

inline void flow(const FlowJob & job, Member & member) {
    const int p = job.patch_size, d = job.feature_dim, n = job.sessions,
              head = job.mu_tokens == 1 ? 1 : job.mu_tokens + 1, length = head + 2 * p;
    const Stack s = stack_of(member, job.dit);
    const Span &x = s.scratch.x, out{job.out, static_cast<size_t>(d)},
               cond{const_cast<float *>(job.cond), static_cast<size_t>(d)};
    share(member, n, [&](int session) { prepare_plain(job, job.cond_proj, cond, session * p, (session + 1) * p); });
    project(member, job, job.cond_proj, job.cond_bias, cond, n * p, job.cond_hidden);
    share(member, n, [&](int session) {
        copy(job.out + session * p * d, job.noise + session * p * d, p * d);
        prepare_plain(job, job.in_proj, out, session * p, (session + 1) * p);
    });
    for (int call = 0; call < job.call_count; call++) {
        // both branches share x
        project(member, job, job.in_proj, job.in_bias, out, n * p, job.hidden);
        share(member, 2 * n * length, [&](int column) {
            write_token(job, job.calls[call].time, head, column / length, column % length, x.data + column * x.stride);
            prepare_columns(s, column, column + 1);
        });
        run_layers(s);
        share(member, 2 * n * p, [&](int column) {
            write_normed(s, column, job.hidden, column);
            prepare_plain(job, job.out_proj, job.hidden, column, column + 1);
        });
        project(member, job, job.out_proj, job.out_bias, job.hidden, 2 * n * p, job.velocity);
        share(member, n, [&](int session) {
            move(job, job.calls[call].step, session);
            prepare_plain(job, job.in_proj, out, session * p, (session + 1) * p);
        });
    }
    release_tiles(member);
}

} // namespace SVC_ISA
} // namespace svc
