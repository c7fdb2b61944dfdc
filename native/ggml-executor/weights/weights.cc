#include "ggml-executor/weights/weights.h"

#include <algorithm>
#include <map>
#include <chrono>
#include <exception>
#include <mutex>
#include <tuple>

#include "ggml-executor/weights/finite_values.h"
#include "runtime/error.h"

namespace svc {
namespace {

// twice the limit of a file, as several tensors may be derived from one
constexpr size_t max_tensors = 8192;

std::string shape_of(const TensorInfo & tensor) {
    std::string text;
    int last = TensorInfo::most_dimensions - 1;
    while (last > 0 && tensor.shape[last] == 1) last--;
    for (int i = 0; i <= last; i++) text += (i ? "×" : "") + std::to_string(tensor.shape[i]);
    return text;
}

ggml_type type_of(const TensorInfo & tensor) { return static_cast<ggml_type>(tensor.type); }

void check_stopping(const std::atomic<bool> & stopping) {
    if (stopping) fail("CANCELLED", "canceled");
}

// Rows [first, last) of `in` columns.
template <typename Value>
void reorder(
    const Value * from, const Places & rows, int64_t first, int64_t last, const Places & columns, int64_t in, Value * to
) {
    std::vector<int64_t> places;
    for (int64_t row = first; row < last; row++) places.push_back(rows.at(row));
    // a few columns at a time: a cache has little room for lines that are a power of two apart
    constexpr int64_t some = 8;
    for (int64_t column = 0; column < in; column += some) {
        const int64_t count = std::min(some, in - column);
        const Value * values[some];
        for (int64_t i = 0; i < count; i++) values[i] = from + columns.at(column + i);
        Value * out = to + column;
        for (const int64_t place : places) {
            for (int64_t i = 0; i < count; i++) out[i] = values[i][place];
            out += in;
        }
    }
}

// A piece of work: enough for long reads, and little enough for an even share and the second-level cache, which also
// keeps values that come from all over a tensor.
constexpr int64_t piece_bytes = 256 * 1024, rearranged_values = 32 * 1024;
// Copied to a device at once.
constexpr size_t upload_bytes = 4 * 1024 * 1024;

// Room for `count` values.
template <typename Value>
Value * grown(std::vector<Value> & values, size_t count) {
    if (values.size() < count) values.resize(count);
    return values.data();
}

size_t bytes_of(const TensorInfo & tensor, RowRange rows) {
    return static_cast<size_t>(tensor.row_bytes()) * (rows.last - rows.first);
}

} // namespace

Weights::Weights(const GgufFile & file, const Compute & compute, const std::string & many)
    : file_(file), compute_(compute), many_(many), copies_(max_tensors), derived_(max_tensors) {
    // rounding to bfloat16 adds little to the error of quantized weights
    if (compute.kernels() && compute.kernels()->bf16_pairs) {
        for (const TensorInfo & tensor : file.tensors()) {
            if (traits_of(tensor.type)->quantized) rounds_activations_ = true;
        }
    }
}

const TensorInfo & Weights::require(const std::string & name) const {
    const TensorInfo * tensor = file_.find(name);
    if (!tensor) file_.refuse("tensor \"", name, "\" is missing");
    return *tensor;
}

const TensorInfo & Weights::require_matrix(const std::string & name, int64_t in, int64_t out) const {
    const TensorInfo & source = require(name);
    if (source.shape[0] != in || source.shape[1] != out || source.count() != in * out) {
        file_.refuse("tensor \"", name, "\" has shape ", shape_of(source), ", expected ", in, "×", out);
    }
    require_type(source);
    return source;
}

Matrix Weights::matrix(const std::string & name, int64_t in, int64_t out) {
    const FusedMatrix fused = this->fused({{name, in, out}}, Arrangement::stacked);
    Matrix matrix = fused.parts.front();
    matrix.packed = fused.packed;
    return matrix;
}

FusedMatrix Weights::fused(const std::vector<MatrixName> & parts, Arrangement arrangement) {
    FusedMatrix fused;
    PendingPack pending{.packed = std::make_shared<PackedMatrix>(), .in = parts.front().in, .arrangement = arrangement};
    if (!many_.empty() && parts.front().name.starts_with(many_)) pending.activations = Activations::many;
    for (const auto & [name, in, out] : parts) {
        Matrix & part = fused.parts.emplace_back(Matrix{.name = name, .in = in, .out = out});
        if (packs()) pending.sources.push_back(&require_matrix(name + ".weight", in, out));
        else part.tensor = table(name + ".weight", in, out);
    }
    if (packs()) {
        fused.packed = pending.packed;
        pending_packs_.push_back(std::move(pending));
    }
    return fused;
}

Matrix Weights::rearranged(
    const std::string & name, int64_t in, int64_t out, int64_t first, Places rows, Places columns
) {
    const TensorInfo & source = require(name);
    const ggml_type type = float_type(source);
    if (packs()) {
        Matrix matrix{.name = name, .in = in, .out = out, .packed = std::make_shared<PackedMatrix>()};
        pending_packs_.push_back({
            .packed = matrix.packed,
            .sources = {&source},
            .in = in,
            .activations = Activations::rounded,
            .order = Order{first, rows, columns},
            .type = type,
            .out = out,
        });
        return matrix;
    }
    const auto fill = [=, this, &source] {
        const std::vector<float> all = values(name, source.count());
        std::vector<float> matrix(in * out);
        reorder(all.data() + first, rows, 0, out, columns, in, matrix.data());
        return matrix;
    };
    return {.name = name, .in = in, .out = out, .tensor = derived(type, in, out, fill)};
}

ggml_tensor * Weights::table(const std::string & name, int64_t in, int64_t out) {
    const TensorInfo & source = require_matrix(name, in, out);
    ggml_tensor * tensor = ggml_new_tensor_2d(copies_.context(), type_of(source), in, out);
    pending_.push_back({tensor, &source, nullptr});
    return tensor;
}

const TensorInfo & Weights::rows(const std::string & name, int64_t in, int64_t out) {
    const TensorInfo & source = require_matrix(name, in, out);
    in_place_.push_back(&source);
    return source;
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
    const TensorInfo & source = require(name);
    if (source.count() != count)
        file_.refuse(
            "tensor \"", name, "\" has ", source.count(), " values (shape ", shape_of(source), "), expected ", count
        );
    require_type(source);
}

void Weights::require_type(const TensorInfo & source) const {
    const TensorTypeTraits & traits = *traits_of(source.type);
    if (!traits.weights) file_.refuse("tensor \"", source.name, "\" has the unsupported type ", traits.name);
}

std::vector<float> Weights::values(const std::string & name, int64_t count) const {
    check(name, count);
    const TensorInfo & source = require(name);
    std::vector<float> result(count);
    const std::vector<char> data = file_.copy(source);
    if (!all_finite(type_of(source), data.data(), count)) refuse_broken(source);
    if (source.type == TensorType::f32)
        std::copy_n(reinterpret_cast<const float *>(data.data()), count, result.begin());
    else ggml_get_type_traits(type_of(source))->to_float(data.data(), result.data(), count);
    return result;
}

void Weights::refuse_broken(const TensorInfo & source) const {
    file_.refuse("tensor \"", source.name, "\" contains infinity or NaN");
}

int64_t Weights::count(const std::string & name) const {
    const TensorInfo * tensor = file_.find(name);
    return tensor ? tensor->count() : 0;
}

ggml_type Weights::float_type(const TensorInfo & source) const {
    if (source.type == TensorType::f32) return GGML_TYPE_F32;
    return rounds_activations_ ? GGML_TYPE_BF16 : GGML_TYPE_F16;
}

void Weights::plan(const PendingPack & pending) const {
    std::vector<MatrixSource> sources;
    for (const TensorInfo * source : pending.sources)
        sources.push_back({type_of(*source), nullptr, static_cast<int>(source->shape[1])});
    if (pending.order) sources = {{pending.type, nullptr, static_cast<int>(pending.out)}};
    *pending.packed = plan_packed(
        arena_, compute_.kernels()->byte_order, sources, static_cast<int>(pending.in), pending.arrangement,
        pending.activations
    );
}

const char * Weights::rearrange(
    const PendingPack & pending, int64_t first_row, int64_t last_row, Scratch & scratch
) const {
    const TensorInfo & source = *pending.sources.front();
    const Order & order = *pending.order;
    const int64_t in = pending.in, rows = last_row - first_row;
    const char * data = pending.copy->wait();
    if (!data) file_.refuse_changed();
    const auto reordered = [&](const auto * from, auto & to) {
        reorder(from + order.first, order.rows, first_row, last_row, order.columns, in, grown(to, rows * in));
        return reinterpret_cast<const char *>(to.data());
    };
    if (source.type == TensorType::f32) return reordered(reinterpret_cast<const float *>(data), scratch.floats);
    if (traits_of(source.type)->quantized) {
        // blocks have no order of their own; no known model has such convolutions
        reordered(values(source.name, source.count()).data(), scratch.floats);
    } else {
        const char * halves = reordered(reinterpret_cast<const uint16_t *>(data), scratch.halves);
        if (type_of(source) == pending.type) return halves;
        ggml_get_type_traits(type_of(source))->to_float(halves, grown(scratch.floats, rows * in), rows * in);
    }
    char * converted = grown(scratch.bytes, rows * ggml_row_size(pending.type, in));
    ggml_quantize_chunk(pending.type, scratch.floats.data(), converted, 0, rows, in, nullptr);
    return converted;
}

const char * Weights::read(const TensorInfo & source, RowRange rows, char * to) const {
    const size_t bytes = source.row_bytes();
    if (!file_.read(source, bytes * rows.first, bytes * (rows.last - rows.first), to)) file_.refuse_changed();
    return to;
}

void Weights::pack_piece(const PendingPack & pending, int first_tile, int last_tile, Scratch & scratch) const {
    std::vector<MatrixSource> sources;
    if (pending.order) {
        const int first_row = first_tile * tile_rows,
                  last_row = std::min(last_tile * tile_rows, static_cast<int>(pending.out));
        const char * rows = rearrange(pending, first_row, last_row, scratch);
        sources.push_back({pending.type, rows, static_cast<int>(pending.out), first_row});
    } else {
        for (const TensorInfo * source : pending.sources)
            sources.push_back({type_of(*source), nullptr, static_cast<int>(source->shape[1])});
        std::vector<RowRange> ranges;
        size_t bytes = 0;
        for (size_t i = 0; i < sources.size(); i++) {
            ranges.push_back(rows_in_tiles(sources, pending.arrangement, i, first_tile, last_tile));
            bytes += bytes_of(*pending.sources[i], ranges[i]);
        }
        char * next = grown(scratch.bytes, bytes);
        for (size_t i = 0; i < sources.size(); i++) {
            sources[i].data = read(*pending.sources[i], ranges[i], next);
            sources[i].first = ranges[i].first;
            next += bytes_of(*pending.sources[i], ranges[i]);
        }
    }
    const MatrixSource * broken = pack_tiles(pending.packed->view, sources, pending.arrangement, first_tile, last_tile);
    if (broken) refuse_broken(*pending.sources[broken - sources.data()]);
}

char * Weights::Copy::room(size_t size) {
    std::call_once(made, [&] { bytes = reinterpret_cast<char *>(memory->take(size)); });
    return bytes;
}

void Weights::Copy::came(bool complete) {
    if (!complete) whole = false;
    missing--;
    missing.notify_all();
}

const char * Weights::Copy::wait() const {
    for (int left; (left = missing) > 0;) missing.wait(left);
    return whole ? bytes : nullptr;
}

void Weights::add_reads(const TensorInfo & source, Copy & copy, std::vector<Piece> & pieces) const {
    const char * data = file_.data(source);
    const int64_t all = source.bytes();
    for (int64_t first = 0; first < all; first += piece_bytes) {
        const int64_t bytes = std::min(piece_bytes, all - first);
        copy.missing++;
        pieces.push_back({data, false, data + first, [this, &source, &copy, all, first, bytes](Scratch &) {
                              bool complete = false;
                              try {
                                  complete = file_.read(source, first, bytes, copy.room(all) + first);
                              } catch (const std::bad_alloc &) {
                                  copy.came(false);
                                  throw;
                              }
                              copy.came(complete);
                          }});
    }
}

void Weights::add_packs(const PendingPack & pending, std::vector<Piece> & pieces) const {
    const TensorInfo & source = *pending.sources.front();
    const char * data = file_.data(source);
    const int64_t block = traits_of(source.type)->values, tile_values = tile_rows * pending.in;
    const int tiles = pending.packed->view.tiles,
              step = static_cast<int>(std::max<int64_t>(
                  1,
                  pending.order ? rearranged_values / tile_values
                                : piece_bytes / (tile_rows * source.bytes_of(pending.in / block * block))
              ));
    if (pending.copy) pending.copy->uses += (tiles + step - 1) / step;
    for (int first = 0; first < tiles; first += step) {
        const int64_t value =
            pending.order ? pending.order->first + pending.order->rows.at(first * tile_rows) : first * tile_values;
        const char * place = data + source.bytes_of(value);
        const int last = std::min(tiles, first + step);
        pieces.push_back({pending.copy ? data : place, true, place, [this, &pending, first, last](Scratch & scratch) {
                              pack_piece(pending, first, last, scratch);
                              if (pending.copy && --pending.copy->uses == 0) pending.copy->memory.reset();
                          }});
    }
}

void Weights::add_checks(const TensorInfo & source, std::vector<Piece> & pieces) const {
    const int64_t bytes = source.row_bytes();
    const int rows = static_cast<int>(source.shape[1]),
              step = static_cast<int>(std::max<int64_t>(1, piece_bytes / bytes));
    for (int first = 0; first < rows; first += step) {
        const RowRange range{first, std::min(rows, first + step)};
        const char * place = file_.data(source) + first * bytes;
        pieces.push_back({place, true, place, [this, &source, range](Scratch & scratch) {
                              const char * data = read(source, range, grown(scratch.bytes, bytes_of(source, range)));
                              if (!all_finite(type_of(source), data, source.shape[0] * (range.last - range.first)))
                                  refuse_broken(source);
                          }});
    }
}

void Weights::pack_all(const std::atomic<bool> & stopping) {
    std::vector<Piece> pieces;
    std::map<const TensorInfo *, std::shared_ptr<Copy>> copies;
    for (PendingPack & pending : pending_packs_) {
        plan(pending);
        if (pending.order) {
            const TensorInfo & source = *pending.sources.front();
            pending.copy = copies[&source];
            if (!pending.copy) {
                pending.copy = copies[&source] = std::make_shared<Copy>();
                add_reads(source, *pending.copy, pieces);
            }
        }
        add_packs(pending, pieces);
    }
    for (const TensorInfo * tensor : in_place_) add_checks(*tensor, pieces);
    // in the order of the file: a disk reads it faster, and matrices rearranged from one tensor find it in the cache
    std::stable_sort(pieces.begin(), pieces.end(), [](const Piece & a, const Piece & b) {
        return std::tie(a.begin, a.reads_copy, a.place) < std::tie(b.begin, b.reads_copy, b.place);
    });
    share(pieces, stopping);
    // a failed upload may be retried
    pending_packs_.clear();
}

void Weights::share(const std::vector<Piece> & pieces, const std::atomic<bool> & stopping) const {
    std::atomic<size_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    std::vector<Scratch> scratches(compute_.team().size());
    while (next < pieces.size() && !failure) {
        check_stopping(stopping);
        // lets models that are speaking use the cores in between
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
        compute_.team().run([&](Member & member) {
            do {
                const size_t i = next.fetch_add(1);
                if (i >= pieces.size()) return;
                try {
                    pieces[i].work(scratches[member.index]);
                } catch (...) {
                    const std::lock_guard<std::mutex> lock(mutex);
                    failure = std::current_exception();
                }
            } while (std::chrono::steady_clock::now() < end);
        });
    }
    if (failure) std::rethrow_exception(failure);
}

void Weights::upload(const std::atomic<bool> & stopping) {
    if (packs()) pack_all(stopping);
    else
        for (const TensorInfo * tensor : in_place_) each_piece(*tensor, [](const std::vector<char> &, size_t) {});
    copies_.allocate(compute_.buffer_type());
    derived_.allocate(compute_.buffer_type());
    for (Pending & pending : pending_) {
        check_stopping(stopping);
        ggml_tensor * tensor = pending.tensor;
        if (pending.source) {
            each_piece(*pending.source, [tensor](const std::vector<char> & bytes, size_t from) {
                ggml_backend_tensor_set(tensor, bytes.data(), from, bytes.size());
            });
            continue;
        }
        const std::vector<float> values = pending.fill();
        if (static_cast<int64_t>(values.size()) != ggml_nelements(tensor))
            fail("INTERNAL", "a derived tensor must have ", ggml_nelements(tensor), " values, got ", values.size());
        if (tensor->type == GGML_TYPE_F32) {
            ggml_backend_tensor_set(tensor, values.data(), 0, ggml_nbytes(tensor));
        } else {
            std::vector<char> converted(ggml_nbytes(tensor));
            ggml_quantize_chunk(
                tensor->type, values.data(), converted.data(), 0, tensor->ne[1], tensor->ne[0], nullptr
            );
            ggml_backend_tensor_set(tensor, converted.data(), 0, converted.size());
        }
    }
    pending_.clear();
    // what was read may be of two files
    file_.require_unchanged();
}

void Weights::each_piece(
    const TensorInfo & source, const std::function<void(const std::vector<char> & bytes, size_t from)> & use
) const {
    const size_t row = source.row_bytes(), all = source.bytes(), step = std::max<size_t>(1, upload_bytes / row) * row;
    for (size_t from = 0; from < all; from += step) {
        const std::vector<char> bytes = file_.copy(source, from, std::min(step, all - from));
        const int64_t values = static_cast<int64_t>(bytes.size() / row) * source.shape[0];
        if (!all_finite(type_of(source), bytes.data(), values)) refuse_broken(source);
        use(bytes, from);
    }
}

NetworkWeights load_network(Weights & weights, const Config & config) {
    struct Loader {
        Weights & weights;
        Matrix matrix(const MatrixName & name) { return weights.matrix(name.name, name.in, name.out); }
        FusedMatrix fused(const std::vector<MatrixName> & parts, Arrangement arrangement) {
            return weights.fused(parts, arrangement);
        }
        const TensorInfo * table(const MatrixName & name) {
            return &weights.rows(name.name + ".weight", name.in, name.out);
        }
        ggml_tensor * vector(const std::string & name, int64_t count) { return weights.vector(name, count); }
    } loader{weights};
    return load_network(config, loader);
}

} // namespace svc
