#include "ggml-executor/stages/linear.h"

#include <algorithm>

namespace svc {
namespace {

struct LinearOp {
    const Compute & compute;
    std::shared_ptr<PackedMatrix> weight;
    const std::string & name;
    const AdapterRuns * runs;
    ColumnMemory memory = {};
    int bias_source = 0, residual_source = 0; // 0: none
    PackedUpdates updates = {};
};

// `job` is complete except for the activations, which `columns` holds.
void multiply(
    const KernelSet & kernels, Team & team, ColumnMemory & memory, ProductJob job, const float * columns, size_t stride
) {
    const Packed & weight = *job.weight;
    job.x = memory.view();
    const bool rounded = weight.kind == PackedKind::bf16_pairs;
    if (!weight.quantized()) {
        job.x.floats = columns;
        job.x.stride = rounded ? weight.pairs_stride() : stride;
    }
    team.run([&](Member & member) {
        if (weight.quantized() || rounded) {
            share_range(member, job.columns, [&](int first, int last) {
                kernels.prepare(weight.kind, columns, stride, weight.depth, nullptr, job.x, first, last);
            });
        }
        kernels.multiply(job, member);
    });
}

void compute_linear(ggml_tensor * out, int, int, void * data) {
    auto & op = *static_cast<LinearOp *>(data);
    const ggml_tensor * x = out->src[0];
    ProductJob job;
    job.weight = &op.weight->view;
    job.columns = op.runs ? op.runs->columns() : static_cast<int>(x->ne[1]);
    job.out = {static_cast<float *>(out->data), out->nb[1] / sizeof(float)};
    if (op.runs && !op.runs->runs().empty()) {
        op.updates = PackedUpdates(op.name, *op.runs, job.columns);
        op.memory.share();
    } else {
        op.updates = {};
    }
    job.adapted = op.updates.view();
    job.low = op.updates.low();
    const ggml_tensor * bias = op.bias_source > 0 ? out->src[op.bias_source] : nullptr;
    const ggml_tensor * residual = op.residual_source > 0 ? out->src[op.residual_source] : nullptr;
    if (bias) job.bias = static_cast<const float *>(bias->data);
    if (residual) {
        job.residual = static_cast<const float *>(residual->data);
        job.residual_stride = residual->nb[1] / sizeof(float);
    }
    multiply(
        *op.compute.kernels(), op.compute.team(), op.memory, job, static_cast<const float *>(x->data),
        x->nb[1] / sizeof(float)
    );
}

} // namespace

ggml_tensor * linear(Graph & graph, const Matrix & weight, ggml_tensor * x) {
    return linear(graph, weight, x, nullptr, nullptr);
}

ggml_tensor * linear(
    Graph & graph, const Matrix & weight, ggml_tensor * x, ggml_tensor * bias, ggml_tensor * residual,
    const AdapterRuns * runs
) {
    ggml_context * c = graph.context();
    if (!weight.packed) {
        ggml_tensor * y = add_updates(graph, weight.name, runs, x, ggml_mul_mat(c, weight.tensor, x));
        if (bias) y = ggml_add(c, y, bias);
        return residual ? ggml_add(c, y, residual) : y;
    }
    ggml_tensor * sources[3] = {x};
    int count = 1;
    auto op = std::make_unique<LinearOp>(LinearOp{
        .compute = graph.compute(),
        .weight = weight.packed,
        .name = weight.name,
        .runs = runs,
    });
    if (bias) sources[op->bias_source = count++] = bias;
    if (residual) sources[op->residual_source = count++] = residual;
    op->memory.reserve(weight.packed->view, x->ne[1]);
    return ggml_custom_4d(
        c, GGML_TYPE_F32, weight.out, x->ne[1], 1, 1, sources, count, compute_linear, 1, graph.keep(std::move(op))
    );
}

ggml_tensor * Linear::build(Graph & graph, ggml_tensor * x, const AdapterRuns * runs) const {
    return linear(graph, weight, x, bias, nullptr, runs);
}

void multiply_columns(
    const KernelSet & kernels, Team & team, const Packed & weight, ColumnMemory & memory,
    const std::vector<float> & columns, std::vector<float> & product
) {
    ProductJob job;
    job.weight = &weight;
    job.columns = static_cast<int>(columns.size() / weight.depth);
    job.out = {product.data(), static_cast<size_t>(weight.rows)};
    memory.reserve(weight, job.columns);
    multiply(kernels, team, memory, job, columns.data(), static_cast<size_t>(weight.depth));
}

void ColumnMemory::reserve(const Packed & weight, int64_t columns) {
    const size_t whole = static_cast<size_t>(columns + most_read_columns - 1) / most_read_columns * most_read_columns;
    if (weight.kind == PackedKind::bf16_pairs)
        bfloats_.resize(std::max(bfloats_.size(), weight.pairs_stride() * (whole + most_read_columns)));
    if (!weight.quantized()) return;
    const size_t blocks = weight.blocks * whole;
    bytes_.resize(std::max(bytes_.size(), blocks * activation_bytes));
    scales_.resize(std::max(scales_.size(), blocks));
    sums_.resize(std::max(sums_.size(), blocks));
}

void ColumnMemory::share() { i8_sums_.resize(sums_.size()); }

Columns ColumnMemory::view() {
    return {
        .bytes = bytes_.data(),
        .scales = scales_.data(),
        .sums = sums_.data(),
        .bfloats = bfloats_.data(),
        .i8_sums = i8_sums_.empty() ? nullptr : i8_sums_.data(),
    };
}

} // namespace svc
