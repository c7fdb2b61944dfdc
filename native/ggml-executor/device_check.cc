#include "ggml-executor/device_check.h"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/error.h"
#include "ggml-executor/library.h"

namespace svc {
namespace {

// Weights of models; activations are float32.
constexpr ggml_type weight_types[] = {GGML_TYPE_F32,  GGML_TYPE_F16,  GGML_TYPE_BF16, GGML_TYPE_Q8_0, GGML_TYPE_Q6_K,
                                      GGML_TYPE_Q5_K, GGML_TYPE_Q5_0, GGML_TYPE_Q4_K, GGML_TYPE_Q4_0};

// Sizes of a small model: a multiple of each type's block; one column, and more than fit one tile.
constexpr int64_t width = 256, rows = 96, many = 40, head_dim = 64, heads = 4, kv_heads = 2, cells = 64;
constexpr size_t check_tensors = 512, check_nodes = 16;

// Squared error relative to the squared values. Devices round activations and sums in other ways than the CPU.
constexpr double rounded = 1e-3, exact = 1e-5;

struct Case {
    std::string name;
    ggml_tensor * result;
    double tolerance;
};

// The tensors of all cases in the memory of one backend.
class Trial {
public:
    explicit Trial(ggml_backend_dev_t device);
    // The result of a case; empty if `device` doesn't support it.
    std::vector<float> run(size_t index, ggml_backend_dev_t device);
    const std::vector<Case> & cases() const { return cases_; }

private:
    ggml_tensor * floats(int64_t ne0, int64_t ne1 = 1, int64_t ne2 = 1) { return values(GGML_TYPE_F32, ne0, ne1, ne2); }
    // Filled with values in [-1, 1], the same for each backend.
    ggml_tensor * values(ggml_type type, int64_t ne0, int64_t ne1 = 1, int64_t ne2 = 1);
    // Filled with 0, 1, 2, …
    ggml_tensor * numbers(ggml_type type, int64_t count);
    void add(const std::string & name, ggml_tensor * result, double tolerance = exact) {
        cases_.push_back({name, result, tolerance});
    }
    void add_products();
    void add_attention();
    void add_elementwise();
    void add_copies();
    void fill();

    ggml_backend_ptr backend_;
    ggml_context_ptr context_;
    ggml_backend_buffer_ptr buffer_;
    std::vector<ggml_tensor *> values_, numbers_;
    std::vector<Case> cases_;
};

Trial::Trial(ggml_backend_dev_t device)
    : backend_(ggml_backend_dev_init(device, nullptr)),
      context_(ggml_init({ggml_tensor_overhead() * check_tensors, nullptr, true})) {
    const char * name = ggml_backend_dev_name(device);
    if (!backend_) fail("BACKEND_UNAVAILABLE", "the driver of ", name, " failed to start: ", take_ggml_log());
    const ggml_backend_reg_t registry = ggml_backend_dev_backend_reg(device);
    const auto set_threads = reinterpret_cast<ggml_backend_set_n_threads_t>(
        ggml_backend_reg_get_proc_address(registry, "ggml_backend_set_n_threads")
    );
    if (set_threads) set_threads(backend_.get(), 1);
    add_products();
    add_attention();
    add_elementwise();
    add_copies();
    buffer_.reset(ggml_backend_alloc_ctx_tensors_from_buft(context_.get(), ggml_backend_dev_buffer_type(device)));
    if (!buffer_) fail("OUT_OF_MEMORY", "not enough memory on ", name);
    ggml_backend_buffer_clear(buffer_.get(), 0);
    fill();
}

ggml_tensor * Trial::values(ggml_type type, int64_t ne0, int64_t ne1, int64_t ne2) {
    values_.push_back(ggml_new_tensor_4d(context_.get(), type, ne0, ne1, ne2, 1));
    return values_.back();
}

ggml_tensor * Trial::numbers(ggml_type type, int64_t count) {
    numbers_.push_back(ggml_new_tensor_2d(context_.get(), type, count, 1));
    return numbers_.back();
}

void Trial::add_products() {
    ggml_context * c = context_.get();
    for (const ggml_type type : weight_types) {
        for (const int64_t columns : {int64_t{1}, many}) {
            ggml_tensor * product = ggml_mul_mat(c, values(type, width, rows), floats(width, columns));
            add(std::string("products of ") + ggml_type_name(type), product, rounded);
        }
    }
    // tables of tokens
    for (const ggml_type type : {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_Q8_0})
        add("rows of a table", ggml_get_rows(c, values(type, width, rows), numbers(GGML_TYPE_I32, many)), rounded);
}

void Trial::add_attention() {
    ggml_context * c = context_.get();
    const float scale = 1.0f / std::sqrt(static_cast<float>(head_dim));
    for (const int64_t columns : {int64_t{1}, many}) {
        ggml_tensor * q = ggml_permute(c, floats(head_dim, heads, columns), 0, 2, 1, 3);
        // a cache has the heads of a position side by side
        const auto cache = [&] {
            return ggml_permute(c, values(GGML_TYPE_F16, head_dim, kv_heads, cells), 0, 2, 1, 3);
        };
        ggml_tensor *k = cache(), *v = cache(), *mask = values(GGML_TYPE_F16, cells, columns);
        add("attention", ggml_flash_attn_ext(c, q, k, v, mask, scale, 0.0f, 0.0f), rounded);
        ggml_tensor * weights = ggml_soft_max_ext(c, ggml_mul_mat(c, k, q), mask, scale, 0.0f);
        add("softmax", weights, rounded);
        ggml_tensor * turned = ggml_cont(c, ggml_permute(c, v, 1, 0, 2, 3));
        add("products of attention", ggml_mul_mat(c, turned, weights), rounded);
    }
    ggml_tensor * rotated = ggml_rope_ext(
        c, floats(head_dim, heads, many), numbers(GGML_TYPE_I32, many), nullptr, head_dim, GGML_ROPE_TYPE_NEOX, 4096,
        10000.0f, 1.0f, 0.0f, 1.0f, 0.0f, 0.0f
    );
    add("positions", rotated, exact);
}

void Trial::add_elementwise() {
    ggml_context * c = context_.get();
    ggml_tensor *x = floats(width, many), *y = floats(width, many), *row = floats(width), *column = floats(1, many);
    add("norm", ggml_mul(c, ggml_rms_norm(c, x, 1e-5f), row));
    add("gate", ggml_swiglu_split(c, x, y));
    add("silu", ggml_silu(c, x));
    add("tanh", ggml_tanh(c, x));
    add("sine", ggml_sqr(c, ggml_sin(c, x)));
    add("sum", ggml_sum_rows(c, ggml_mul(c, x, y)));
    add("quotient", ggml_div(c, x, ggml_scale_bias(c, ggml_sqr(c, column), 1.0f, 1.0f)));
    add("difference", ggml_sub(c, ggml_add(c, x, row), ggml_scale(c, y, 0.5f)));
    add("column", ggml_mul(c, x, column));
}

void Trial::add_copies() {
    ggml_context * c = context_.get();
    ggml_tensor *x = floats(width, many), *y = floats(width, many), *row = floats(width);
    for (const int along : {0, 1, 2}) add("concatenation", ggml_concat(c, x, y, along));
    add("repetition", ggml_repeat_4d(c, row, width, many, 1, 1));
    add("view", ggml_cont(c, ggml_view_2d(c, x, width / 2, many - 1, x->nb[1], x->nb[1] + x->nb[0])));
    add("sum in place", ggml_acc(c, x, floats(width, 8), x->nb[1], x->nb[2], x->nb[3], 4 * x->nb[1]));
    ggml_tensor * half = ggml_cpy(c, x, ggml_new_tensor_2d(c, GGML_TYPE_F16, width, many));
    add("conversion", ggml_cpy(c, half, ggml_new_tensor_2d(c, GGML_TYPE_F32, width, many)));
    ggml_tensor * cache = ggml_new_tensor_2d(c, GGML_TYPE_F16, width, cells);
    ggml_tensor * stored = ggml_set_rows(c, cache, y, numbers(GGML_TYPE_I64, many));
    add("cache", ggml_cpy(c, stored, ggml_new_tensor_2d(c, GGML_TYPE_F32, width, cells)));
}

void Trial::fill() {
    uint32_t seed = 1;
    for (ggml_tensor * tensor : values_) {
        std::vector<float> floats(ggml_nelements(tensor));
        for (float & value : floats) {
            seed = seed * 1664525u + 1013904223u;
            value = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
        }
        std::vector<char> stored(ggml_nbytes(tensor));
        if (tensor->type == GGML_TYPE_F32) std::memcpy(stored.data(), floats.data(), stored.size());
        else
            ggml_quantize_chunk(
                tensor->type, floats.data(), stored.data(), 0, ggml_nelements(tensor) / tensor->ne[0], tensor->ne[0],
                nullptr
            );
        ggml_backend_tensor_set(tensor, stored.data(), 0, stored.size());
    }
    for (ggml_tensor * tensor : numbers_) {
        std::vector<int32_t> small(tensor->ne[0]);
        std::vector<int64_t> large(tensor->ne[0]);
        for (size_t i = 0; i < small.size(); i++) large[i] = small[i] = static_cast<int32_t>(i);
        const bool wide = tensor->type == GGML_TYPE_I64;
        ggml_backend_tensor_set(
            tensor, wide ? static_cast<const void *>(large.data()) : small.data(), 0, ggml_nbytes(tensor)
        );
    }
}

std::vector<float> Trial::run(size_t index, ggml_backend_dev_t device) {
    const Case & one = cases_[index];
    const ggml_context_ptr memory(ggml_init({ggml_graph_overhead_custom(check_nodes, false), nullptr, true}));
    ggml_cgraph * graph = ggml_new_graph_custom(memory.get(), check_nodes, false);
    ggml_build_forward_expand(graph, one.result);
    for (int i = 0; i < ggml_graph_n_nodes(graph); i++)
        if (!ggml_backend_dev_supports_op(device, ggml_graph_node(graph, i))) return {};
    const ggml_status status = ggml_backend_graph_compute(backend_.get(), graph);
    if (status == GGML_STATUS_ALLOC_FAILED) fail("OUT_OF_MEMORY", "not enough memory for ", one.name);
    if (status != GGML_STATUS_SUCCESS)
        fail("BACKEND_UNAVAILABLE", "ggml status ", static_cast<int>(status), " ", take_ggml_log());
    std::vector<float> values(ggml_nelements(one.result));
    ggml_backend_tensor_get(one.result, values.data(), 0, values.size() * sizeof(float));
    return values;
}

// Infinite if a value is not finite.
double squared_error(const std::vector<float> & values, const std::vector<float> & expected) {
    double error = 0, whole = 0;
    for (size_t i = 0; i < expected.size(); i++) {
        if (!std::isfinite(values[i])) return INFINITY;
        error += std::pow(static_cast<double>(values[i]) - expected[i], 2);
        whole += std::pow(static_cast<double>(expected[i]), 2);
    }
    return error / whole;
}

} // namespace

class DeviceCheck::Impl {
public:
    explicit Impl(ggml_backend_dev_t device)
        : device(device), trial(device), reference(ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU)) {}
    ggml_backend_dev_t device;
    Trial trial, reference;
};

DeviceCheck::DeviceCheck(ggml_backend_dev_t device) : impl_(std::make_unique<Impl>(device)) {}
DeviceCheck::~DeviceCheck() = default;

std::vector<std::string> DeviceCheck::names() const {
    std::vector<std::string> names;
    for (const Case & one : impl_->trial.cases()) names.push_back(one.name);
    return names;
}

void DeviceCheck::run(size_t index) {
    if (index >= impl_->trial.cases().size()) fail("INVALID_REQUEST", "there is no operation ", index);
    const std::vector<float> values = impl_->trial.run(index, impl_->device);
    if (values.empty()) return;
    const double error = squared_error(values, impl_->reference.run(index, impl_->device));
    const double limit = impl_->trial.cases()[index].tolerance;
    if (error <= limit) return;
    fail("BACKEND_UNAVAILABLE", "wrong results (relative squared error ", error, ", limit ", limit, ")");
}

} // namespace svc
