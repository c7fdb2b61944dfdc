#include <cmath>
#include <cstring>

#include "cuda/card_check.h"
#include "cuda/check_values.h"
#include "cuda/packing.h"
#include "cuda/kernels/cached_attention.h"
#include "cuda/kernels/local_attention.h"

namespace svc::cuda {
namespace {

struct CheckedAttention {
    int head_dim;
    Format format; // of the columns
};
constexpr CheckedAttention checked_attentions[] = {
    {64, Format::bytes}, {64, Format::bfloats}, {128, Format::bytes}, {128, Format::bfloats}
};

constexpr int heads = 8, kv_heads = 2, group = heads / kv_heads, local_length = 11;
// Of three sequences: on the first page, in the middle, and on more pages than are split.
constexpr int positions[] = {5, 70, 1100}, sequences = 3, table_positions = 1101;

// Heads as rows of floats: [row][HeadDim].
using Rows = std::vector<std::vector<float>>;

std::string suffix(const CheckedAttention & checked) {
    return "_" + std::to_string(checked.head_dim) + "_" + column_name(checked.format);
}

class AttentionCheck {
public:
    AttentionCheck(Device & device, Queue & queue, const CheckedAttention & checked)
        : device_(device), queue_(queue), checked_(checked), hd_(checked.head_dim),
          stride_((heads + 2 * kv_heads) * hd_), arena_(device), noise_{static_cast<uint32_t>(hd_)} {
        for (int position = 0; position < table_positions; position++) {
            std::vector<float> angles(hd_);
            for (int i = 0; i < hd_ / 2; i++) {
                const float angle = 3 * noise_.next();
                angles[i] = std::cos(angle);
                angles[hd_ / 2 + i] = std::sin(angle);
            }
            table_.insert(table_.end(), angles.begin(), angles.end());
        }
        rope_ = {arena_.copy(table_)};
    }

    void local() {
        const int count = 2 * local_length;
        const std::vector<float> qkv = noise_.values(static_cast<size_t>(count) * stride_);
        const LocalAttentionJob job{
            .qkv = arena_.copy(qkv),
            .stride = stride_,
            .length = local_length,
            .heads = heads,
            .kv_heads = kv_heads,
            .scale = scale(),
            .rope = rope_,
            .out = columns(count),
        };
        std::vector<double> expected;
        for (int n = 0; n < count; n++) {
            const int first = n / local_length * local_length;
            for (int head = 0; head < heads; head++) {
                Rows keys, values;
                for (int i = 0; i < local_length; i++) {
                    keys.push_back(rotated(qkv, first + i, heads + head / group, i));
                    values.push_back(row(qkv, first + i, heads + kv_heads + head / group));
                }
                attend(rotated(qkv, n, head, n - first), keys, values, expected);
            }
        }
        const std::string kernel = "local_attention" + suffix(checked_);
        queue_.launch(
            kernel, {heads, 2}, local_attention_threads(local_length, hd_), local_attention_shared(local_length, hd_),
            job
        );
        compare(job.out, count, expected, kernel);
    }

    // `stored`: the keys and values of the columns are stored by a kernel of their own.
    void cached(bool stored) {
        const std::vector<float> qkv = noise_.values(static_cast<size_t>(sequences) * stride_);
        const int most_pages = positions[sequences - 1] / page_positions + 1;
        std::vector<uint16_t *> table;
        std::vector<double> expected;
        for (int n = 0; n < sequences; n++) {
            std::vector<Rows> keys(kv_heads), values(kv_heads);
            add_pages(positions[n], most_pages, table, keys, values);
            for (int head = 0; head < heads; head++) {
                Rows own_keys = keys[head / group], own_values = values[head / group];
                own_keys.push_back(rounded(rotated(qkv, n, heads + head / group, positions[n])));
                own_values.push_back(rounded(row(qkv, n, heads + kv_heads + head / group)));
                attend(rotated(qkv, n, head, positions[n]), own_keys, own_values, expected);
            }
        }
        const CachedColumns columns_of{
            .qkv = arena_.copy(qkv),
            .stride = stride_,
            .heads = heads,
            .rope = rope_,
            .pages = {arena_.copy(table), most_pages, kv_heads},
            .slots = arena_.copy(std::vector{0, 1, 2}),
            .positions = arena_.copy(std::vector(positions, positions + sequences)),
        };
        const CachedAttentionJob job{
            .columns = columns_of,
            .together = group,
            .splits = most_splits,
            .stored = stored,
            .scale = scale(),
            .parts = arena_.array<float>(static_cast<size_t>(sequences) * kv_heads * most_splits * group * (hd_ + 2)),
            .arrived = arena_.array<int>(sequences * kv_heads),
            .out = columns(sequences),
        };
        if (stored)
            queue_.launch("store_kv_" + std::to_string(hd_), {sequences}, 128, 0, StoreKvJob{.columns = columns_of});
        const std::string kernel = "cached_attention" + suffix(checked_);
        queue_.launch(kernel, {most_splits, sequences, kv_heads}, 32 * group, cached_attention_shared(group, hd_), job);
        compare(job.out, sequences, expected, kernel);
    }

private:
    float scale() const { return 1 / std::sqrt(static_cast<float>(hd_)); }

    std::vector<float> row(const std::vector<float> & qkv, int column, int head) const {
        const auto from = qkv.begin() + static_cast<int64_t>(column) * stride_ + head * hd_;
        return {from, from + hd_};
    }
    std::vector<float> rotated(const std::vector<float> & qkv, int column, int head, int position) const {
        std::vector<float> x = row(qkv, column, head);
        const float * angles = table_.data() + static_cast<size_t>(position) * hd_;
        for (int i = 0, half = hd_ / 2; i < half; i++) {
            const float low = x[i], high = x[half + i];
            x[i] = low * angles[i] - high * angles[half + i];
            x[half + i] = high * angles[i] + low * angles[half + i];
        }
        return x;
    }
    static std::vector<float> rounded(std::vector<float> x) {
        for (float & value : x) value = float_of_bfloat(bfloat_of(value));
        return x;
    }

    // Pages with random keys and values of the positions before `position`.
    void add_pages(
        int position, int most_pages, std::vector<uint16_t *> & table, std::vector<Rows> & keys,
        std::vector<Rows> & values
    ) {
        for (int page = 0; page < most_pages; page++) {
            std::vector<uint16_t> bits(static_cast<size_t>(2) * kv_heads * page_positions * hd_);
            for (int which = 0; which < 2; which++) {
                for (int head = 0; head < kv_heads; head++) {
                    for (int at = 0; at < page_positions && page * page_positions + at < position; at++) {
                        const std::vector<float> one = rounded(noise_.values(hd_));
                        (which == 0 ? keys : values)[head].push_back(one);
                        for (int i = 0; i < hd_; i++)
                            bits[((static_cast<size_t>(which) * kv_heads + head) * page_positions + at) * hd_ + i] =
                                bfloat_of(one[i]);
                    }
                }
            }
            table.push_back(arena_.copy(bits));
        }
    }

    // Appends the values that a query sees, weighted.
    void attend(
        const std::vector<float> & query, const Rows & keys, const Rows & values, std::vector<double> & out
    ) const {
        std::vector<double> sum(hd_);
        double total = 0;
        for (size_t i = 0; i < keys.size(); i++) {
            double score = 0;
            for (int d = 0; d < hd_; d++) score += static_cast<double>(query[d]) * keys[i][d];
            const double weight = std::exp(score * scale());
            total += weight;
            for (int d = 0; d < hd_; d++) sum[d] += weight * values[i][d];
        }
        for (const double value : sum) out.push_back(value / total);
    }

    Columns columns(int count) {
        const int capacity = (count + 7) / 8 * 8, depth = heads * hd_, blocks = depth / block_depth;
        const size_t all = static_cast<size_t>(blocks) * capacity;
        return {
            .values = arena_.array<uint8_t>(all * block_bytes(checked_.format)),
            .scales = byte_columns(checked_.format) ? arena_.array<float>(all) : nullptr,
            .capacity = capacity,
            .blocks = blocks,
            .depth = depth,
        };
    }
    void compare(const Columns & out, int count, const std::vector<double> & expected, const std::string & kernel) {
        queue_.synchronize();
        const size_t all = static_cast<size_t>(out.blocks) * out.capacity, bytes = block_bytes(checked_.format);
        const std::vector<uint8_t> bits = read_array(device_, out.values, all * bytes);
        const std::vector<float> scales = out.scales ? read_array(device_, out.scales, all) : std::vector<float>();
        std::vector<float> values;
        for (int n = 0; n < count; n++) {
            for (int i = 0; i < out.depth; i++) {
                const size_t block = static_cast<size_t>(i / block_depth) * out.capacity + n;
                const int at = i % block_depth;
                if (out.scales) {
                    values.push_back(static_cast<int8_t>(bits[block * bytes + at]) * scales[block]);
                } else {
                    uint16_t half;
                    std::memcpy(&half, bits.data() + block * bytes + 2 * at, 2);
                    values.push_back(float_of_bfloat(half));
                }
            }
        }
        require_close(values, expected, out.scales ? 0.015 : 0.01, kernel);
    }

    Device & device_;
    Queue & queue_;
    const CheckedAttention checked_;
    const int hd_, stride_;
    Arena arena_;
    Noise noise_;
    std::vector<float> table_; // see Rope
    Rope rope_;
};

} // namespace

std::vector<std::string> attention_checks() {
    std::vector<std::string> names;
    for (const CheckedAttention & one : checked_attentions)
        names.push_back("attention with heads of " + std::to_string(one.head_dim) + " in " + column_name(one.format));
    return names;
}

void check_attention(Device & device, Queue & queue, int index) {
    AttentionCheck check(device, queue, checked_attentions[index]);
    check.local();
    check.cached(false);
    check.cached(true);
}

} // namespace svc::cuda
