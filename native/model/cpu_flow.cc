#include "model/cpu_flow.h"

namespace svc {
namespace {

struct FlowOp {
    const Compute & compute;
    CpuScratch scratch;
    FlowJob job;
    std::vector<FlowCall> calls;
    std::vector<float> cond_hidden, hidden, velocity;
    PackedUpdates updates, last_updates;
};

void compute_flow(ggml_tensor * out, int, int, void * data) {
    auto & op = *static_cast<FlowOp *>(data);
    const auto floats = [&](int source) { return static_cast<const float *>(out->src[source]->data); };
    op.job.noise = floats(0);
    op.job.mu = floats(1);
    op.job.cond = floats(2);
    op.job.cfg = floats(3);
    op.job.out = static_cast<float *>(out->data);
    Team & team = op.compute.team();
    const KernelSet & kernels = *op.compute.kernels();
    const auto body = [&](Member & member) { kernels.flow(op.job, member); };
    const StageClock::Lap lap(op.compute.clock(), Stage::flow);
    team.run(body);
}

const float * bias_of(const Linear & linear) { return static_cast<const float *>(linear.bias->data); }

} // namespace

ggml_tensor * cpu_flow(
    Graph & graph, const LocalDit & dit, const Config & config, const FlowMatching::Constants & constants,
    ggml_tensor * noise, ggml_tensor * mu, ggml_tensor * cond, ggml_tensor * cfg, const AdapterRuns & adapters
) {
    const CpuStack & stack = *dit.transformer().cpu();
    const StackWeights & weights = stack.view();
    const int n = static_cast<int>(noise->ne[2]), p = config.patch_size, d = config.feature_dim,
              columns = 2 * n * dit.length();
    const AdapterRuns sequences = adapters.twice(n);
    auto * op = graph.keep(
        std::make_unique<FlowOp>(FlowOp{
            graph.compute(),
            CpuScratch(weights, columns, local_attention_memory(weights, dit.length()), graph.compute().team().size()),
            {},
            {},
            {},
            {},
            {},
            PackedUpdates(stack.prefix(), sequences.widened(dit.length()), columns),
            PackedUpdates(stack.prefix(), sequences.widened(p), 0)
        })
    );
    for (int position = 0; position < dit.length(); position++)
        stack.rotation(position, op->scratch.rotation() + static_cast<size_t>(position) * stack.head_dim());
    for (size_t i = 0; i < constants.calls.size(); i++) {
        op->calls.push_back(
            {constants.calls[i].step, static_cast<const float *>(constants.times->data) + i * dit.hidden()}
        );
    }
    const auto span = [](std::vector<float> & memory, int width, int count) {
        memory.resize(static_cast<size_t>(width) * count + 16);
        return Span{memory.data(), static_cast<size_t>(width)};
    };
    const Linear &in = dit.in_proj(), &to_cond = dit.cond_proj(), &out = dit.out_proj();
    for (const Linear * linear : {&in, &to_cond, &out}) op->scratch.reserve(linear->weight.packed->view, columns);
    if (op->updates.view().count > 0) op->scratch.adapt(op->updates.low());
    FlowJob & job = op->job;
    job.dit = &weights;
    job.scratch = &op->scratch.view();
    job.in_proj = in.weight.packed->view;
    job.cond_proj = to_cond.weight.packed->view;
    job.out_proj = out.weight.packed->view;
    job.in_bias = bias_of(in);
    job.cond_bias = bias_of(to_cond);
    job.out_bias = bias_of(out);
    job.calls = op->calls.data();
    job.call_count = static_cast<int>(op->calls.size());
    job.zero_star = constants.schedule.zero_star;
    job.sessions = n;
    job.patch_size = p;
    job.feature_dim = d;
    job.mu_tokens = dit.mu_tokens();
    job.adapted = op->updates.view();
    job.last_adapted = op->last_updates.view();
    job.cond_hidden = span(op->cond_hidden, dit.hidden(), n * p);
    job.hidden = span(op->hidden, dit.hidden(), 2 * n * p);
    job.velocity = span(op->velocity, d, 2 * n * p);
    ggml_tensor * sources[] = {noise, mu, cond, cfg};
    return ggml_custom_4d(graph.context(), GGML_TYPE_F32, d, p, n, 1, sources, 4, compute_flow, 1, op);
}

} // namespace svc
