#include "ggml-executor/stages/flow_matching.h"

#include <numeric>

#include "ggml-executor/cpu/cpu_flow.h"

namespace svc {

std::unique_ptr<FlowMatching::Constants> FlowMatching::prepare(
    const Compute & compute, const FlowSchedule & schedule
) const {
    auto constants = std::make_unique<Constants>();
    constants->schedule = schedule;
    constants->calls = schedule.calls(config_.mean_mode);
    const int64_t count = static_cast<int64_t>(constants->calls.size());
    if (count == 0) return constants;
    constants->times = ggml_new_tensor_2d(constants->storage.context(), GGML_TYPE_F32, dit_.hidden(), count);
    constants->storage.allocate(compute.buffer_type());

    std::vector<float> times, deltas;
    for (const auto & call : constants->calls) {
        times.push_back(call.time);
        deltas.push_back(call.delta);
    }
    Graph graph(compute, 64);
    ggml_tensor * time = graph.input(GGML_TYPE_F32, dit_.hidden(), count);
    ggml_tensor * delta = graph.input(GGML_TYPE_F32, dit_.hidden(), count);
    ggml_tensor * sum = ggml_add(graph.context(), dit_.time_mlp(graph, time), dit_.delta_time_mlp(graph, delta));
    graph.expand(ggml_cpy(graph.context(), sum, constants->times));
    graph.allocate();
    graph.set(time, time_sinusoids(times, dit_.hidden()));
    graph.set(delta, time_sinusoids(deltas, dit_.hidden()));
    graph.run();
    return constants;
}

ggml_tensor * FlowMatching::build(
    Graph & graph, const Constants & constants, ggml_tensor * noise, ggml_tensor * mu, ggml_tensor * cond,
    ggml_tensor * cfg, ggml_tensor * positions, const AdapterRuns * runs
) const {
    ggml_context * c = graph.context();
    if (constants.calls.empty()) return noise;
    // intermediates can be tapped only between graph nodes
    if (dit_.transformer().cpu() && !graph.taps_on())
        return cpu_flow(graph, dit_, config_, constants, noise, mu, cond, cfg, runs);
    const int64_t n = noise->ne[2], hidden = dit_.hidden(), values = config_.patch_values();
    // both guidance branches as one batch: mu in the first half, zeros in the second
    const auto twice = [&](ggml_tensor * tensor) { return ggml_concat(c, tensor, tensor, 2); };
    ggml_tensor * both_mu = ggml_concat(c, mu, ggml_scale(c, mu, 0.0f), 2);
    ggml_tensor * both_cond = twice(dit_.project_cond(graph, cond));
    const AdapterRuns * both_runs =
        runs ? graph.keep(std::make_unique<AdapterRuns>(runs->twice(static_cast<int>(n)))) : nullptr;
    ggml_tensor * x = noise;
    for (size_t i = 0; i < constants.calls.size(); i++) {
        graph.tap("traj.x." + std::to_string(i), x);
        ggml_tensor * time = ggml_view_3d(
            c, constants.times, hidden, 1, 1, constants.times->nb[1], constants.times->nb[1], i * constants.times->nb[1]
        );
        ggml_tensor * velocity = dit_.build(
            graph, twice(x), both_mu, ggml_repeat_4d(c, time, hidden, 1, 2 * n, 1), both_cond, positions, both_runs
        );
        const auto branch = [&](int64_t which) {
            return ggml_view_2d(c, velocity, values, n, velocity->nb[2], which * n * velocity->nb[2]);
        };
        ggml_tensor * conditional = branch(0);
        ggml_tensor * unconditional = branch(1);
        if (constants.schedule.zero_star) {
            ggml_tensor * dot = ggml_sum_rows(c, ggml_mul(c, conditional, unconditional));
            ggml_tensor * square = ggml_scale_bias(c, ggml_sum_rows(c, ggml_sqr(c, unconditional)), 1.0f, 1e-8f);
            unconditional = ggml_mul(c, unconditional, ggml_div(c, dot, square));
        }
        ggml_tensor * guided = ggml_add(c, unconditional, ggml_mul(c, ggml_sub(c, conditional, unconditional), cfg));
        ggml_tensor * move = ggml_scale(
            c, ggml_reshape_3d(c, guided, config_.feature_dim, config_.patch_size, n), constants.calls[i].step
        );
        x = ggml_sub(c, x, move);
    }
    return x;
}

std::vector<int32_t> FlowMatching::positions() const {
    std::vector<int32_t> values(dit_.length());
    std::iota(values.begin(), values.end(), 0);
    return values;
}

} // namespace svc
