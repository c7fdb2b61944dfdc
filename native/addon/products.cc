#include "addon/products.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>

#include "addon/ggml_types.h"
#include "addon/task.h"
#include "addon/values.h"
#include "ggml-executor/stages/linear.h"

namespace svc {
namespace {

PackedMatrix pack_rows(
    const KernelSet & kernels, ggml_type type, const std::vector<float> & weights, int64_t depth,
    Activations activations
) {
    const int64_t rows = static_cast<int64_t>(weights.size()) / depth;
    std::vector<char> stored(ggml_row_size(type, depth) * rows);
    ggml_quantize_chunk(type, weights.data(), stored.data(), 0, rows, depth, nullptr);
    return pack(
        std::make_shared<HugeArena>(), kernels.byte_order, {{type, stored.data(), static_cast<int>(rows)}},
        static_cast<int>(depth), Arrangement::stacked, activations
    );
}

constexpr int always = 1, never = std::numeric_limits<int>::max();

// Sets the limits of this process, and sets them back.
class TileLimitsFor {
public:
    TileLimitsFor() : before_(tile_limits) {}
    ~TileLimitsFor() { set(before_.bytes, before_.nibbles); }
    static void set(int bytes, int nibbles) {
        __atomic_store_n(&tile_limits.bytes, bytes, __ATOMIC_RELAXED);
        __atomic_store_n(&tile_limits.nibbles, nibbles, __ATOMIC_RELAXED);
    }

private:
    const TileLimits before_;
};

} // namespace

Napi::Value multiply(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const KernelSet * kernels = find_kernels(to_text(info[0], "kernels").c_str());
        if (!kernels) return env.Undefined();
        const std::string name = to_text(info[1], "type");
        const bool rounded = name == "bf16_pairs";
        if (rounded && !kernels->bf16_pairs) return env.Undefined();
        const bool many = name == "i8_per_row";
        const ggml_type type = rounded ? GGML_TYPE_BF16 : many ? GGML_TYPE_Q4_K : find_type(name);
        const std::vector<float> weights = to_finite_floats(info[2], "weights");
        const int64_t depth = to_integer(info[3], "depth", 1, std::numeric_limits<int>::max());
        const std::vector<float> columns = to_finite_floats(info[4], "columns");
        const int threads = to_integer(info[5], "threads", 1, max_threads);
        if (!can_quantize(type)) fail("INVALID_REQUEST", "cannot quantize to type ", ggml_type_name(type));
        if (depth % ggml_blck_size(type) != 0 || weights.empty() || weights.size() % depth != 0 || columns.empty() ||
            columns.size() % depth != 0) {
            fail(
                "INVALID_REQUEST", "weights and columns must have a multiple of ", depth, " values, got ",
                weights.size(), " and ", columns.size()
            );
        }
        const PackedMatrix matrix = pack_rows(
            *kernels, type, weights, depth,
            rounded    ? Activations::rounded
                : many ? Activations::many
                       : Activations::exact
        );
        ColumnMemory memory;
        std::vector<float> product(columns.size() / depth * matrix.view.rows);
        multiply_columns(*kernels, *Team::shared(threads), matrix.view, memory, columns, product);
        return from_floats(env, product);
    });
}

Napi::Value product_times(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const KernelSet * kernels = find_kernels(to_text(info[0], "kernels").c_str());
        if (!kernels || !kernels->tiles) return env.Undefined();
        const ggml_type type = find_type(to_text(info[1], "type"));
        const std::vector<int32_t> counts = to_integers(info[2], "columns");
        const int rounds = to_integer(info[3], "rounds", 1, 1000);
        // more bytes than the second-level cache of most processors has, as weights come from behind it
        constexpr int rows = 2048, depth = 1024;
        std::vector<float> weights(static_cast<size_t>(rows) * depth);
        for (size_t i = 0; i < weights.size(); i++) weights[i] = static_cast<float>(i * 2654435761u % 255) - 127;
        const PackedMatrix matrix = pack_rows(*kernels, type, weights, depth, Activations::exact);
        const std::shared_ptr<Team> team = Team::shared(1);
        const TileLimitsFor restored;
        std::vector<float> times[2];
        for (const int count : counts) {
            const std::vector<float> columns(weights.begin(), weights.begin() + std::clamp(count, 1, 1024) * depth);
            std::vector<float> product(columns.size() / depth * rows);
            ColumnMemory memory;
            float best[2] = {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()};
            // in turn, so that what else the machine does hits both
            for (int round = 0; round < 2 * rounds; round++) {
                TileLimitsFor::set(round % 2 ? always : never, round % 2 ? always : never);
                const auto start = std::chrono::steady_clock::now();
                multiply_columns(*kernels, *team, matrix.view, memory, columns, product);
                const std::chrono::duration<float, std::micro> elapsed = std::chrono::steady_clock::now() - start;
                best[round % 2] = std::min(best[round % 2], elapsed.count());
            }
            for (int way = 0; way < 2; way++) times[way].push_back(best[way]);
        }
        Napi::Object object = Napi::Object::New(env);
        object.Set("vectors", from_floats(env, times[0]));
        object.Set("tiles", from_floats(env, times[1]));
        return object;
    });
}

Napi::Value set_tile_limits(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        TileLimitsFor::set(to_integer(info[0], "bytes", 1, never), to_integer(info[1], "nibbles", 1, never));
        return env.Undefined();
    });
}

} // namespace svc
