#include "model/weights.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>

#include "model/finite_values.h"
#include "runtime/error.h"

namespace svc {
namespace {

// twice the limit of a file, as several tensors may be derived from one
constexpr size_t max_tensors = 8192;

std::string shape_of(const ggml_tensor & tensor) {
    std::string text;
    for (int i = 0; i < ggml_n_dims(&tensor); i++) text += (i ? "×" : "") + std::to_string(tensor.ne[i]);
    return text;
}

// TENSOR_ALIGNMENT of ggml
constexpr uintptr_t memory_alignment = 32;

bool multiplies(ggml_type type) {
    if (type == GGML_TYPE_F32 || type == GGML_TYPE_F16 || type == GGML_TYPE_BF16) return true;
    // some types are only for activations
    return ggml_is_quantized(type) && ggml_get_type_traits(type)->to_float != nullptr;
}

void check_stopping(const std::atomic<bool> & stopping) {
    if (stopping) fail("CANCELLED", "cancelled");
}

} // namespace

Weights::Weights(const GgufFile & file, const Compute & compute) : file_(file), compute_(compute), copies_(max_tensors), derived_(max_tensors) {
    // rounding to bfloat16 adds little to the error of quantized weights
    if (compute.kernels() && compute.kernels()->bf16_pairs) {
        for (ggml_tensor * tensor = ggml_get_first_tensor(file.tensors()); tensor; tensor = ggml_get_next_tensor(file.tensors(), tensor)) {
            if (ggml_is_quantized(tensor->type)) rounds_activations_ = true;
        }
    }
    ggml_backend_dev_props properties;
    ggml_backend_dev_get_props(compute.device(), &properties);
    // tensors of a file with a smaller alignment than ggml requires are copied
    const bool aligned = reinterpret_cast<uintptr_t>(file.data_begin()) % memory_alignment == 0;
    if (compute.is_cpu() && properties.caps.buffer_from_host_ptr && aligned) {
        mapped_.reset(ggml_backend_dev_buffer_from_host_ptr(compute.device(), const_cast<char *>(file.data_begin()), file.data_size(), 0));
        if (mapped_) ggml_backend_buffer_set_usage(mapped_.get(), GGML_BACKEND_BUFFER_USAGE_WEIGHTS);
    }
}

const ggml_tensor & Weights::require(const std::string & name) const {
    const ggml_tensor * tensor = file_.find(name);
    if (!tensor) file_.refuse("tensor \"", name, "\" is missing");
    return *tensor;
}

const ggml_tensor & Weights::require_matrix(const std::string & name, int64_t in, int64_t out) {
    const ggml_tensor & source = require(name);
    if (source.ne[0] != in || source.ne[1] != out || ggml_nelements(&source) != in * out) {
        file_.refuse("tensor \"", name, "\" has shape ", shape_of(source), ", expected ", in, "×", out);
    }
    require_type(source);
    matrices_.push_back(&source);
    return source;
}

Matrix Weights::matrix(const std::string & name, int64_t in, int64_t out) {
    if (packs()) return fused({{name, out}}, in, Arrangement::stacked);
    return {in, out, table(name, in, out), nullptr};
}

Matrix Weights::fused(const std::vector<Part> & parts, int64_t in, Arrangement arrangement) {
    Matrix matrix{in, 0, nullptr, std::make_shared<PackedMatrix>()};
    PendingPack pending{matrix.packed, {}, nullptr, GGML_TYPE_F32, in, 0, arrangement};
    for (const Part & part : parts) {
        pending.sources.push_back(&require_matrix(part.name, in, part.out));
        matrix.out += part.out;
    }
    pending_packs_.push_back(std::move(pending));
    return matrix;
}

Matrix Weights::derived_matrix(ggml_type type, int64_t in, int64_t out, Fill fill) {
    if (!packs()) return {in, out, derived(type, in, out, std::move(fill)), nullptr};
    Matrix matrix{in, out, nullptr, std::make_shared<PackedMatrix>()};
    pending_packs_.push_back({matrix.packed, {}, std::move(fill), type, in, out, Arrangement::stacked});
    return matrix;
}

ggml_tensor * Weights::table(const std::string & name, int64_t in, int64_t out) {
    const ggml_tensor & source = require_matrix(name, in, out);
    if (mapped_) {
        ggml_tensor * tensor = const_cast<ggml_tensor *>(&source);
        if (tensor->buffer) return tensor;
        const ggml_status status = ggml_backend_tensor_alloc(mapped_.get(), tensor, const_cast<char *>(file_.data(tensor)));
        if (status != GGML_STATUS_SUCCESS) file_.refuse("tensor \"", name, "\" is not aligned");
        in_place_.push_back(tensor);
        return tensor;
    }
    ggml_tensor * tensor = ggml_new_tensor_2d(copies_.context(), source.type, in, out);
    pending_.push_back({tensor, &source, nullptr});
    return tensor;
}

ggml_tensor * Weights::vector(const std::string & name, int64_t count) {
    check(name, count);
    return derived(GGML_TYPE_F32, count, 1, [this, name, count] { return values(name, count); });
}

ggml_tensor * Weights::derived(ggml_type type, int64_t ne0, int64_t ne1, Fill fill) {
    ggml_tensor * tensor = ggml_new_tensor_2d(derived_.context(), type, ne0, ne1);
    pending_.push_back({tensor, nullptr, std::move(fill)});
    return tensor;
}

void Weights::check(const std::string & name, int64_t count) const {
    const ggml_tensor & source = require(name);
    if (ggml_nelements(&source) != count) file_.refuse("tensor \"", name, "\" has ", ggml_nelements(&source), " values (shape ", shape_of(source), "), expected ", count);
    require_type(source);
}

void Weights::require_type(const ggml_tensor & source) const {
    if (!multiplies(source.type)) file_.refuse("tensor \"", source.name, "\" has the unsupported type ", ggml_type_name(source.type));
}

std::vector<float> Weights::values(const std::string & name, int64_t count) const {
    check(name, count);
    const ggml_tensor & source = require(name);
    std::vector<float> result(count);
    const char * data = file_.data(&source);
    require_finite(source);
    if (source.type == GGML_TYPE_F32) {
        std::copy_n(reinterpret_cast<const float *>(data), count, result.begin());
        if (packs()) file_.release(&source);
        return result;
    }
    ggml_get_type_traits(source.type)->to_float(data, result.data(), count);
    if (packs()) file_.release(&source);
    return result;
}

void Weights::require_finite(const ggml_tensor & source) const {
    if (!all_finite(source.type, file_.data(&source), ggml_nelements(&source))) {
        file_.refuse("tensor \"", source.name, "\" contains infinity or NaN");
    }
}

int64_t Weights::count(const std::string & name) const {
    const ggml_tensor * tensor = file_.find(name);
    return tensor ? ggml_nelements(tensor) : 0;
}

ggml_type Weights::float_type(const std::string & name) const {
    if (require(name).type == GGML_TYPE_F32) return GGML_TYPE_F32;
    return rounds_activations_ ? GGML_TYPE_BF16 : GGML_TYPE_F16;
}

void Weights::pack_one(const PendingPack & pending) const {
    std::vector<MatrixSource> sources;
    std::vector<float> values;
    std::vector<char> converted;
    for (const ggml_tensor * source : pending.sources) {
        require_finite(*source);
        sources.push_back({source->type, file_.data(source), static_cast<int>(source->ne[1])});
    }
    if (pending.fill) {
        values = pending.fill();
        const char * data = reinterpret_cast<const char *>(values.data());
        if (pending.type != GGML_TYPE_F32) {
            converted.resize(ggml_row_size(pending.type, pending.in) * pending.out);
            ggml_quantize_chunk(pending.type, values.data(), converted.data(), 0, pending.out, pending.in, nullptr);
            data = converted.data();
        }
        sources.push_back({pending.type, data, static_cast<int>(pending.out)});
    }
    *pending.packed = pack(arena_, sources, static_cast<int>(pending.in), pending.arrangement, pending.fill ? Activations::rounded : Activations::exact);
    // keeping both the file and the packed weights would double the memory
    for (const ggml_tensor * source : pending.sources) file_.release(source);
}

void Weights::pack_all(const std::atomic<bool> & stopping) {
    // weights that need working memory come first, while little is packed
    const auto working = [](const PendingPack & pending) { return pending.fill ? pending.in * pending.out : 0; };
    std::stable_sort(pending_packs_.begin(), pending_packs_.end(), [&](const PendingPack & a, const PendingPack & b) { return working(a) > working(b); });
    std::atomic<size_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    while (next < pending_packs_.size() && !failure) {
        check_stopping(stopping);
        // lets models that are speaking use the cores in between
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
        compute_.team().run([&](int) {
            do {
                const size_t i = next.fetch_add(1);
                if (i >= pending_packs_.size()) return;
                try {
                    pack_one(pending_packs_[i]);
                } catch (...) {
                    const std::lock_guard<std::mutex> lock(mutex);
                    failure = std::current_exception();
                }
            } while (std::chrono::steady_clock::now() < end);
        });
    }
    // a failed upload may be retried
    if (failure) std::rethrow_exception(failure);
    pending_packs_.clear();
}

void Weights::upload(const std::atomic<bool> & stopping) {
    pack_all(stopping);
    for (const ggml_tensor * tensor : in_place_) require_finite(*tensor);
    copies_.allocate(compute_.buffer_type());
    derived_.allocate(compute_.buffer_type());
    for (Pending & pending : pending_) {
        check_stopping(stopping);
        ggml_tensor * tensor = pending.tensor;
        if (pending.source) {
            require_finite(*pending.source);
            ggml_backend_tensor_set(tensor, file_.data(pending.source), 0, ggml_nbytes(tensor));
            continue;
        }
        const std::vector<float> values = pending.fill();
        if (static_cast<int64_t>(values.size()) != ggml_nelements(tensor)) fail("INTERNAL", "a derived tensor must have ", ggml_nelements(tensor), " values, got ", values.size());
        if (tensor->type == GGML_TYPE_F32) {
            ggml_backend_tensor_set(tensor, values.data(), 0, ggml_nbytes(tensor));
        } else {
            std::vector<char> converted(ggml_nbytes(tensor));
            ggml_quantize_chunk(tensor->type, values.data(), converted.data(), 0, tensor->ne[1], tensor->ne[0], nullptr);
            ggml_backend_tensor_set(tensor, converted.data(), 0, converted.size());
        }
    }
    pending_.clear();
    if (packs()) file_.release();
}

std::string Weights::dominant_type() const {
    std::map<ggml_type, int64_t> elements;
    for (const ggml_tensor * tensor : matrices_) elements[tensor->type] += ggml_nelements(tensor);
    ggml_type best = GGML_TYPE_F32;
    for (const auto & [type, count] : elements) {
        if (elements.count(best) == 0 || count > elements[best]) best = type;
    }
    std::string name = ggml_type_name(best);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char character) { return std::tolower(character); });
    return name;
}

} // namespace svc
