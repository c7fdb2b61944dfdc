#include "model/linear.h"

#include <algorithm>

namespace svc {
namespace {

struct LinearOp {
    const Compute & compute;
    std::shared_ptr<PackedMatrix> weight;
    ColumnMemory memory;
};

void compute_linear(ggml_tensor * out, int, int, void * data) {
    auto & op = *static_cast<LinearOp *>(data);
    const ggml_tensor * x = out->src[0];
    const Packed & weight = op.weight->view;
    Team & team = op.compute.team();
    const KernelSet & kernels = *op.compute.kernels();
    ProductJob job;
    job.weight = &weight;
    job.columns = static_cast<int>(x->ne[1]);
    job.out = {static_cast<float *>(out->data), out->nb[1] / sizeof(float)};
    job.x = op.memory.view();
    const auto * columns = static_cast<const float *>(x->data);
    const size_t stride = x->nb[1] / sizeof(float);
    if (!weight.quantised()) {
        job.x.floats = columns;
        job.x.stride = stride;
    }
    const auto body = [&](int member) {
        const auto part = [&](int count, int m) { return static_cast<int>(static_cast<int64_t>(count) * m / team.size()); };
        if (weight.quantised()) {
            kernels.prepare(weight.kind, columns, stride, weight.depth, nullptr, 0, job.x, part(job.columns, member), part(job.columns, member + 1));
            team.barrier();
        }
        kernels.product(job, part(weight.tiles, member), part(weight.tiles, member + 1));
    };
    team.run(body);
}

} // namespace

ggml_tensor * linear(Graph & graph, const Matrix & weight, ggml_tensor * x) {
    if (!weight.packed) return ggml_mul_mat(graph.context(), weight.tensor, x);
    auto op = std::make_unique<LinearOp>(LinearOp{graph.compute(), weight.packed, {}});
    op->memory.reserve(weight.packed->view, x->ne[1]);
    ggml_tensor * sources[] = {x};
    return ggml_custom_4d(graph.context(), GGML_TYPE_F32, weight.out, x->ne[1], 1, 1, sources, 1, compute_linear, 1, graph.keep(std::move(op)));
}

Linear Linear::load(Weights & weights, const std::string & name, int64_t in, int64_t out) {
    return {weights.matrix(name + ".weight", in, out), weights.vector(name + ".bias", out)};
}

Linear Linear::load_unbiased(Weights & weights, const std::string & name, int64_t in, int64_t out) {
    return {weights.matrix(name + ".weight", in, out), nullptr};
}

ggml_tensor * Linear::build(Graph & graph, ggml_tensor * x) const {
    ggml_tensor * y = linear(graph, weight, x);
    return bias ? ggml_add(graph.context(), y, bias) : y;
}

void ColumnMemory::reserve(const Packed & weight, int64_t columns) {
    if (!weight.quantised()) return;
    const size_t blocks = static_cast<size_t>(weight.blocks) * columns;
    bytes_.resize(std::max(bytes_.size(), blocks * block_depth));
    scales_.resize(std::max(scales_.size(), blocks));
    sums_.resize(std::max(sums_.size(), blocks));
}

Columns ColumnMemory::view() {
    return {nullptr, 0, bytes_.data(), scales_.data(), sums_.data()};
}

} // namespace svc
