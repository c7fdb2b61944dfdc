// Flow matching: the Euler step with guidance of optimized scale, and the input of the estimator that follows it.
#pragma once
#include "cuda/kernels/columns.h"

namespace svc::cuda {

constexpr int flow_threads = 256, most_patch_values = flow_threads;

struct EulerJob {
    int sessions = 0, patch_size = 0, feature_dim = 0;
    const float * x = nullptr; // [session][patch_size · feature_dim]
    // of the estimator, first with guidance, then without: [branch · session · patch_size][velocity_stride]; null: no step
    const float * velocity = nullptr;
    int velocity_stride = 0;
    const float * cfg = nullptr; // [session]
    float step = 0;
    bool zero_star = true;
};

struct FlowJob {
    EulerJob euler = {};
    float * x_out = nullptr; // not euler.x: other blocks still read it
    // the estimator's input
    int hidden = 0, mu_tokens = 0;
    const float * time = nullptr;      // [hidden]
    const float * mu = nullptr;        // [session · mu_tokens][hidden]
    const float * cond = nullptr;      // [session · patch_size][hidden]
    const float * in_weight = nullptr; // [feature_dim][hidden]
    const float * in_bias = nullptr;
    const float * norm = nullptr;
    float * out = nullptr; // [column][hidden]; sequences with guidance, then those without
    Columns next = {};
};

struct FlowEndJob {
    EulerJob euler = {};
    float * patch = nullptr; // [session][patch values]
    float * state = nullptr; // [slot][patch values], or null
    const int * slots = nullptr;
};

constexpr size_t flow_shared = (most_patch_values + 2 * flow_threads / 32) * sizeof(float);

// This thread's value of the patch after the step.
inline float euler_step(const EulerJob & job, int session, float * memory) {
    const int i = thread_index(), values = job.patch_size * job.feature_dim;
    const float x = i < values ? job.x[session * values + i] : 0.0f;
    if (!job.velocity) return x;
    const int p = i / job.feature_dim, f = i % job.feature_dim;
    const auto branch = [&](int which) {
        return i < values
            ? job.velocity
                  [(static_cast<size_t>(which * job.sessions + session) * job.patch_size + p) * job.velocity_stride + f]
            : 0.0f;
    };
    const float conditional = branch(0), unconditional = branch(1), cfg = job.cfg[session];
    const float dot = warp_sum(conditional * unconditional), square = warp_sum(unconditional * unconditional);
    if (i % 32 == 0) {
        memory[i / 32] = dot;
        memory[flow_threads / 32 + i / 32] = square;
    }
    barrier();
    float dots = 0, squares = 0;
    SVC_UNROLL
    for (int w = 0; w < flow_threads / 32; w++) {
        dots += memory[w];
        squares += memory[flow_threads / 32 + w];
    }
    const float base = unconditional * (job.zero_star ? dots / (squares + 1e-8f) : 1.0f);
    return x - (base + cfg * (conditional - base)) * job.step;
}

// A block has 128 rows of all tokens of a session; a warp has tokens.
template <typename Format>
inline void flow_input(const FlowJob & job) {
    const EulerJob & euler = job.euler;
    const int lane = thread_index() % 32, warp = thread_index() / 32, session = block_y(),
              row = block_x() * 128 + lane * 4;
    const int patch = euler.patch_size, width = euler.feature_dim, values = patch * width;
    const int head = job.mu_tokens == 1 ? 1 : job.mu_tokens + 1, length = head + 2 * patch;
    float * x = reinterpret_cast<float *>(shared_memory());
    dependents_may_start();
    const bool within = row < job.hidden;
    const auto load = [&](const float * from) {
        return within ? *reinterpret_cast<const Four *>(from + row) : Four{{0, 0, 0, 0}};
    };
    const Four norm = load(job.norm), bias = load(job.in_bias), time = load(job.time);
    wait_for_inputs();
    const float moved = euler_step(euler, session, x + most_patch_values);
    if (thread_index() < values) {
        x[thread_index()] = moved;
        if (block_x() == 0) job.x_out[session * values + thread_index()] = moved;
    }
    barrier();
    const auto put = [&](int branch, int token, const Four & value) {
        const int column = (branch * euler.sessions + session) * length + token;
        if (within) *reinterpret_cast<Four *>(job.out + static_cast<size_t>(column) * job.hidden + row) = value;
        store_normed<Format>(job.next, row / block_depth, column, row % block_depth / 4, value, norm, within);
    };
    // the tokens of x first, which take longest
    for (int t = warp; t < length; t += flow_threads / 32) {
        if (t < patch) {
            Four sum = bias;
            SVC_UNROLL_BY(8)
            for (int f = 0; f < width; f++) {
                const Four weight = load(job.in_weight + static_cast<size_t>(f) * job.hidden);
                const float value = x[t * width + f];
                SVC_UNROLL
                for (int i = 0; i < 4; i++) sum.v[i] += weight.v[i] * value;
            }
            for (int branch = 0; branch < 2; branch++) put(branch, head + patch + t, sum);
        } else if (t < 2 * patch) {
            const Four cond = load(job.cond + (static_cast<size_t>(session) * patch + t - patch) * job.hidden);
            for (int branch = 0; branch < 2; branch++) put(branch, head + t - patch, cond);
        } else {
            const int token = t - 2 * patch;
            const bool has_mu = token < job.mu_tokens, timed = job.mu_tokens == 1 || !has_mu;
            for (int branch = 0; branch < 2; branch++) {
                Four value = has_mu && branch == 0
                    ? load(job.mu + (static_cast<size_t>(session) * job.mu_tokens + token) * job.hidden)
                    : Four{{0, 0, 0, 0}};
                SVC_UNROLL
                for (int i = 0; i < 4; i++) value.v[i] += timed ? time.v[i] : 0.0f;
                put(branch, token, value);
            }
        }
    }
}

inline void flow_end(const FlowEndJob & job) {
    const int values = job.euler.patch_size * job.euler.feature_dim, session = block_x();
    dependents_may_start();
    wait_for_inputs();
    const float moved = euler_step(job.euler, session, reinterpret_cast<float *>(shared_memory()));
    if (thread_index() >= values) return;
    job.patch[session * values + thread_index()] = moved;
    if (job.state) job.state[job.slots[session] * values + thread_index()] = moved;
}

} // namespace svc::cuda
