#include "ggml-executor/weights/adapter.h"

#include <algorithm>
#include <cstring>

#include "ggml-executor/stages/network.h"

namespace svc {
namespace {

// A product whose matrices can have updates: one matrix, or q, k and v on our kernels.
struct Product {
    std::string key;             // of packed updates
    const PackedMatrix * weight; // null where ggml's kernels are used
    std::vector<Matrix> matrices;
};

void add_stack(std::vector<Product> & products, const Transformer & stack) {
    const std::string & prefix = stack.layers().prefix();
    for (const Layer & layer : stack.layers().all()) {
        for (const FusedMatrix * matrix : {&layer.qkv, &layer.o})
            products.push_back({prefix, matrix->packed.get(), matrix->parts});
    }
}

void add_projection(std::vector<Product> & products, const Linear & linear) {
    products.push_back({linear.weight.name, linear.weight.packed.get(), {linear.weight}});
}

// In the order of the packed updates.
std::vector<Product> products_of(const Network & network) {
    std::vector<Product> products;
    add_stack(products, network.base_lm);
    add_stack(products, network.residual_lm);
    add_stack(products, network.local_dit.transformer());
    add_projection(products, network.enc_to_lm);
    add_projection(products, network.lm_to_dit);
    add_projection(products, network.res_to_dit);
    if (network.config.v2) add_projection(products, network.fusion);
    return products;
}

// The updates by the names of their matrices in the file.
std::map<std::string, const LoraUpdate *> by_name(const Config & config, const std::vector<LoraUpdate> & updates) {
    std::map<std::string, const LoraUpdate *> targets, found;
    for (const LoraUpdate & update : updates) targets[update.target] = &update;
    for (const AdapterTarget & target : adapter_targets(config)) {
        const auto update = targets.find(target.target);
        if (update != targets.end()) found[target.name] = update->second;
    }
    return found;
}

std::vector<char> converted(ggml_type type, const std::vector<float> & values, int64_t width) {
    const int64_t rows = static_cast<int64_t>(values.size()) / width;
    std::vector<char> data(ggml_row_size(type, width) * rows);
    if (type == GGML_TYPE_F32) std::memcpy(data.data(), values.data(), data.size());
    else ggml_quantize_chunk(type, values.data(), data.data(), 0, rows, width, nullptr);
    return data;
}

std::vector<float> scaled(std::vector<float> values, float scale) {
    for (float & value : values) value *= scale;
    return values;
}

} // namespace

Adapter::Adapter(const Network & network, const Compute & compute, const std::vector<LoraUpdate> & updates, float scale)
    : storage_(2 * updates.size()) {
    const ByteOrder order = compute.kernels() ? compute.kernels()->byte_order : ByteOrder{};
    const std::map<std::string, const LoraUpdate *> found_updates = by_name(network.config, updates);
    const auto arena = std::make_shared<HugeArena>();
    std::vector<std::pair<ggml_tensor *, std::vector<float>>> uploads;
    const auto tensor = [&](int64_t in, int64_t out, std::vector<float> values) {
        ggml_tensor * made = ggml_new_tensor_2d(storage_.context(), GGML_TYPE_F32, in, out);
        uploads.emplace_back(made, std::move(values));
        return made;
    };
    for (const Product & product : products_of(network)) {
        // the updates of float weights are exact; beside the error of quantized ones, that of these types is small
        const bool quantized = product.weight && product.weight->view.quantized();
        const ggml_type a_type = quantized ? GGML_TYPE_Q8_0 : GGML_TYPE_F32,
                        b_type = quantized ? GGML_TYPE_BF16 : GGML_TYPE_F32;
        LowRank packed;
        std::vector<std::vector<char>> rows; // of all first factors
        std::vector<MatrixSource> a;
        const int64_t in = product.matrices.front().in;
        int row = 0, first = 0;
        for (size_t m = 0; m < product.matrices.size(); m++) {
            const Matrix & matrix = product.matrices[m];
            const auto found = found_updates.find(matrix.name);
            if (found != found_updates.end()) {
                const LoraUpdate & update = *found->second;
                std::vector<float> b = scaled(update.b, scale);
                if (product.weight) {
                    const std::vector<char> data = converted(b_type, b, update.rank);
                    matrices_.push_back(
                        pack(arena, order, {{b_type, data.data(), static_cast<int>(matrix.out)}}, update.rank)
                    );
                    packed.parts[packed.count++] = {matrices_.back().view, row, first};
                    rows.push_back(converted(a_type, update.a, in));
                    a.push_back({a_type, rows.back().data(), update.rank});
                } else {
                    factors_[matrix.name] = {
                        tensor(in, update.rank, update.a), tensor(update.rank, matrix.out, std::move(b))
                    };
                }
                first += update.rank;
            }
            row += static_cast<int>(matrix.out);
        }
        if (!a.empty()) {
            matrices_.push_back(pack(arena, order, a, static_cast<int>(in)));
            packed.a = matrices_.back().view;
        }
        most_rows_ = std::max(most_rows_, first);
        packed_[product.key].push_back(packed);
    }
    storage_.allocate(compute.buffer_type());
    for (const auto & [made, values] : uploads) ggml_backend_tensor_set(made, values.data(), 0, ggml_nbytes(made));
}

const LowRank * Adapter::packed(const std::string & name) const {
    const auto found = packed_.find(name);
    if (found == packed_.end()) return nullptr;
    const std::vector<LowRank> & updates = found->second;
    const bool used =
        std::any_of(updates.begin(), updates.end(), [](const LowRank & update) { return update.count > 0; });
    return used ? updates.data() : nullptr;
}

const Adapter::Factors * Adapter::factors(const std::string & name) const {
    const auto found = factors_.find(name);
    return found == factors_.end() ? nullptr : &found->second;
}

void AdapterRuns::add(const AdapterUse & use, int count) {
    if (use.adapter) append({static_cast<const Adapter *>(use.adapter.get()), use.weight, columns_, count});
    columns_ += count;
}

AdapterRuns AdapterRuns::selected(const std::vector<int> & columns) const {
    AdapterRuns result;
    const auto place = [&](int column) {
        return static_cast<int>(std::lower_bound(columns.begin(), columns.end(), column) - columns.begin());
    };
    result.columns_ = static_cast<int>(columns.size());
    for (const Run & run : runs_) {
        const int first = place(run.first), end = place(run.first + run.count);
        if (first < end) result.append({run.adapter, run.weight, first, end - first});
    }
    return result;
}

void AdapterRuns::append(const Run & run) {
    if (!runs_.empty()) {
        Run & last = runs_.back();
        if (last.adapter == run.adapter && last.weight == run.weight && last.first + last.count == run.first) {
            last.count += run.count;
            return;
        }
    }
    runs_.push_back(run);
}

AdapterRuns AdapterRuns::widened(int factor) const {
    AdapterRuns result;
    result.columns_ = columns_ * factor;
    for (const Run & run : runs_) result.append({run.adapter, run.weight, run.first * factor, run.count * factor});
    return result;
}

AdapterRuns AdapterRuns::twice(int columns) const {
    AdapterRuns result = *this;
    result.columns_ += columns;
    for (const Run & run : runs_) result.append({run.adapter, run.weight, columns + run.first, run.count});
    return result;
}

ggml_tensor * add_updates(
    Graph & graph, const std::string & name, const AdapterRuns * adapters, ggml_tensor * x, ggml_tensor * y
) {
    ggml_context * c = graph.context();
    if (!adapters) return y;
    for (const AdapterRuns::Run & run : adapters->runs()) {
        const Adapter::Factors * factors = run.adapter->factors(name);
        if (!factors) continue;
        ggml_tensor * columns = ggml_view_2d(c, x, x->ne[0], run.count, x->nb[1], run.first * x->nb[1]);
        ggml_tensor * update = ggml_mul_mat(c, factors->b, ggml_mul_mat(c, factors->a, columns));
        y = ggml_acc(c, y, ggml_scale(c, update, run.weight), y->nb[1], y->nb[2], y->nb[3], run.first * y->nb[1]);
    }
    return y;
}

PackedUpdates::PackedUpdates(const std::string & name, const AdapterRuns & adapters, int64_t columns) {
    for (const AdapterRuns::Run & run : adapters.runs()) {
        const LowRank * updates = run.adapter->packed(name);
        if (!updates) continue;
        runs_.push_back({updates, run.weight, run.first, run.count});
        stride_ = std::max(stride_, static_cast<size_t>(run.adapter->most_rows()));
    }
    low_.resize(stride_ * columns);
}

} // namespace svc
