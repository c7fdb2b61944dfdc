#include "ggml-executor/cpu/cpu_flow.h"

#include "ggml-executor/cpu/cpu_stack.h"

namespace svc {
namespace {

struct FlowOp {
    const Compute & compute;
    std::unique_ptr<StackRun> run;
    const AdapterRuns * runs; // of the sessions
    FlowJob job = {};
    std::vector<FlowCall> calls = {};
    std::vector<float> cond_hidden = {}, hidden = {}, velocity = {};
};

void compute_flow(ggml_tensor * out, int, int, void * data) {
    auto & op = *static_cast<FlowOp *>(data);
    const auto floats = [&](int source) { return static_cast<const float *>(out->src[source]->data); };
    if (op.runs) op.run->adapt(op.runs->twice(op.job.sessions));
    op.job.dit = op.run->job;
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
    ggml_tensor * noise, ggml_tensor * mu, ggml_tensor * cond, ggml_tensor * cfg, const AdapterRuns * runs
) {
    const int n = static_cast<int>(noise->ne[2]), p = config.patch_size, d = config.feature_dim, length = dit.length();
    auto run = StackRun::local(graph.compute(), *dit.transformer().cpu(), length, 2 * n, length - p, p);
    auto * op = graph.keep(std::make_unique<FlowOp>(FlowOp{graph.compute(), std::move(run), runs}));
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
    for (const Linear * linear : {&in, &to_cond, &out})
        op->run->scratch.reserve(linear->weight.packed->view, 2 * n * length);
    op->job = {
        .in_proj = in.weight.packed->view,
        .cond_proj = to_cond.weight.packed->view,
        .out_proj = out.weight.packed->view,
        .in_bias = bias_of(in),
        .cond_bias = bias_of(to_cond),
        .out_bias = bias_of(out),
        .calls = op->calls.data(),
        .call_count = static_cast<int>(op->calls.size()),
        .zero_star = constants.schedule.zero_star,
        .sessions = n,
        .patch_size = p,
        .feature_dim = d,
        .mu_tokens = dit.mu_tokens(),
        .cond_hidden = span(op->cond_hidden, dit.hidden(), n * p),
        .hidden = span(op->hidden, dit.hidden(), 2 * n * p),
        .velocity = span(op->velocity, d, 2 * n * p),
    };
    ggml_tensor * sources[] = {noise, mu, cond, cfg};
    return ggml_custom_4d(graph.context(), GGML_TYPE_F32, d, p, n, 1, sources, 4, compute_flow, 1, op);
}

} // namespace svc
