#include "cuda/network.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cuda/kernels/cached_attention.h"
#include "cuda/kernels/flow.h"
#include "cuda/kernels/local_attention.h"
#include "cuda/parts.h"
#include "model/description/adapter.h"
#include "model/description/flow_schedule.h"
#include "model/description/rotation.h"
#include "runtime/error.h"

namespace svc::cuda {
namespace {

template <typename... Problem>
[[noreturn]] void refuse(const Problem &... problem) {
    fail("BACKEND_UNAVAILABLE", "the CUDA kernels cannot compute this model (", problem..., "); use --backend cpu");
}

const Config & require_supported(const Config & config) {
    for (const TransformerConfig * stack :
         {&config.base_lm, &config.residual_lm, &config.local_encoder, &config.local_dit}) {
        if (stack->head_dim > 128 || stack->head_dim % 8 != 0)
            refuse("heads of ", stack->head_dim, " values, at most 128 and a multiple of 8");
    }
    if (config.feature_dim % 4 != 0 || config.patch_values() > most_patch_values)
        refuse("patches of ", config.patch_size, " × ", config.feature_dim, " values, at most ", most_patch_values);
    if (config.dit_length() > most_local_positions) refuse("patches of ", config.patch_size, " frames");
    return config;
}

StackShape shape_of(const TransformerConfig & config) {
    StackShape shape{config};
    shape.head_padded = config.head_dim <= 64 ? 64 : 128;
    return shape;
}

// Places of the values of `heads` heads in a padded row: each half of a head begins a half.
std::vector<int> head_places(int heads, const StackShape & shape, int first = 0) {
    const int half = shape.head_dim / 2;
    std::vector<int> places;
    for (int head = 0; head < heads; head++) {
        for (int i = 0; i < shape.head_dim; i++)
            places.push_back(first + head * shape.head_padded + i % half + i / half * (shape.head_padded / 2));
    }
    return places;
}

std::vector<int> count_to(int64_t count) {
    std::vector<int> places(count);
    std::iota(places.begin(), places.end(), 0);
    return places;
}

int whole_steps(int depth) { return (depth + step_depth - 1) / step_depth * step_depth; }

// Rows of a tensor → rows of a packed matrix.
void place_rows(
    PackedMatrix & packed, const std::vector<float> & values, const std::vector<int> & rows,
    const std::vector<int> & depth
) {
    const int width = packed.steps * step_depth;
    in_parts(static_cast<int>(rows.size()), [&](int first, int last) {
        std::vector<float> row(width);
        for (int r = first; r < last; r++) {
            const float * from = values.data() + static_cast<size_t>(r) * depth.size();
            for (size_t k = 0; k < depth.size(); k++) row[depth[k]] = from[k];
            packed.set_row(rows[r], row.data(), width);
        }
    });
}

} // namespace

// Names instead of weights.
struct Network::NameLoader {
    MatrixName matrix(const MatrixName & name) const { return name; }
    MatrixName table(const MatrixName & name) const { return name; }
    std::vector<MatrixName> fused(const std::vector<MatrixName> & names, Arrangement) const { return names; }
    VectorName vector(const std::string & name, int64_t count) const { return {name, count}; }
};

int StackShape::together() const {
    const int group = heads / kv_heads;
    int together = std::min(group, most_heads_together);
    while (group % together != 0) together--;
    return together;
}

std::vector<float> Network::values(const MatrixName & matrix) const {
    if (stopping_) fail("CANCELLED", "loading was cancelled");
    return tensors_.values(matrix.name + ".weight", matrix.in * matrix.out);
}
std::vector<float> Network::values(const VectorName & vector) const {
    return tensors_.values(vector.name, vector.count);
}

Weight Network::upload(const PackedMatrix & matrix) { return {arena_.copy(matrix.data), matrix.rows, matrix.steps}; }

const float * Network::upload(const VectorName & vector) {
    std::vector<float> all = values(vector);
    all.resize(padded(static_cast<int>(vector.count)));
    return arena_.copy(all);
}

int Network::add_target(
    const std::vector<MatrixName> & names, const Places & rows, const Places & depth, int padded_rows, int padded_depth
) {
    Target target{{}, {}, static_cast<int>(depth.size()), padded_rows, padded_depth, rows, depth};
    for (const MatrixName & name : names) {
        const auto found = official_names_.find(name.name);
        if (found == official_names_.end()) return -1;
        target.names.push_back(found->second);
        target.rows.push_back(static_cast<int>(name.out));
    }
    targets.push_back(std::move(target));
    return static_cast<int>(targets.size()) - 1;
}

Linear Network::matrix(const MatrixName & name, const Places & rows, const Places & depth, int padded_depth) {
    PackedMatrix packed(format, static_cast<int>(name.out), padded_depth);
    place_rows(packed, values(name), rows, depth);
    return {upload(packed), nullptr, add_target({name}, rows, depth, packed.rows, whole_steps(padded_depth))};
}

Linear Network::linear(const LinearOf<MatrixName, VectorName> & names) {
    const MatrixName & name = names.weight;
    Linear made = matrix(name, count_to(name.out), count_to(name.in), static_cast<int>(name.in));
    made.bias = upload(names.bias);
    return made;
}

Linear Network::qkv(const std::vector<MatrixName> & names, const StackShape & shape) {
    PackedMatrix packed(format, shape.qkv_rows(), shape.hidden);
    const Places depth = count_to(shape.hidden);
    Places rows;
    int first = 0;
    for (const MatrixName & name : names) {
        const int heads = static_cast<int>(name.out) / shape.head_dim;
        const Places own = head_places(heads, shape, first);
        place_rows(packed, values(name), own, depth);
        rows.insert(rows.end(), own.begin(), own.end());
        first += heads * shape.head_padded;
    }
    return {upload(packed), nullptr, add_target(names, rows, depth, packed.rows, whole_steps(shape.hidden))};
}

Linear Network::gate_up(const std::vector<MatrixName> & names, const StackShape & shape) {
    PackedMatrix packed(format, 2 * shape.ffn_width(), shape.hidden, 64);
    for (size_t which = 0; which < names.size(); which++) {
        Places rows;
        for (int row = 0; row < shape.ffn; row++) rows.push_back(gated_row(row, which == 0));
        place_rows(packed, values(names[which]), rows, count_to(shape.hidden));
    }
    return {upload(packed), nullptr, -1};
}

LayerOf<Linear, const float *> Network::layer(
    const LayerOf<std::vector<MatrixName>, VectorName> & names, const StackShape & shape
) {
    const MatrixName &o = names.o.front(), &down = names.down.front();
    return {
        .attention_norm = upload(names.attention_norm),
        .qkv = qkv(names.qkv, shape),
        .o = matrix(o, count_to(o.out), head_places(shape.heads, shape), shape.attended()),
        .ffn_norm = upload(names.ffn_norm),
        .gate_up = gate_up(names.gate_up, shape),
        .down = matrix(down, count_to(down.out), count_to(down.in), static_cast<int>(down.in)),
    };
}

const float * Network::rope_table(int head_padded, int positions) {
    const float *& table = rope_tables_[{head_padded, positions}];
    if (table) return table;
    const int head = config.base_lm.head_dim, half = head / 2;
    const Rotation rotation(config.rope, head);
    std::vector<float> all(static_cast<size_t>(positions) * head_padded), one(head);
    for (int position = 0; position < positions; position++) {
        rotation.at(position, one.data());
        float * row = all.data() + static_cast<size_t>(position) * head_padded;
        std::copy_n(one.begin(), half, row);
        std::copy_n(one.begin() + half, half, row + head_padded / 2);
    }
    return table = arena_.copy(all);
}

Stack Network::stack(const StackOf<std::vector<MatrixName>, VectorName> & names, int positions) {
    Stack made{shape_of(names.config), {}, upload(names.output_norm), nullptr};
    for (const auto & names_of_layer : names.layers) made.layers.push_back(layer(names_of_layer, made.shape));
    if (names.config.rope) made.rope = rope_table(made.shape.head_padded, positions);
    return made;
}

// Its input is two padded halves.
Linear Network::make_fusion(const LinearOf<MatrixName, VectorName> & names) {
    const int lm = config.base_lm.hidden, half = whole_steps(lm);
    Places depth;
    for (int k = 0; k < 2 * lm; k++) depth.push_back(k % lm + k / lm * half);
    Linear made = matrix(names.weight, count_to(lm), depth, 2 * half);
    made.bias = upload(names.bias);
    return made;
}

Network::Network(Device & device, const Config & model, const Tensors & tensors, const std::atomic<bool> & stopping)
    : config(require_supported(model)),
      format(tensors.quantized("blk.0.attn_q.weight") ? Format::bytes : Format::bfloats), tensors_(tensors),
      stopping_(stopping), arena_(device) {
    for (const AdapterTarget & target : adapter_targets(config)) official_names_[target.name] = target.target;
    NameLoader loader;
    const Names names = load_network(config, loader);
    base_lm = stack(names.base_lm, config.context_length);
    residual_lm = stack(names.residual_lm, config.context_length);
    encoder = stack(names.local_encoder, most_local_positions);
    dit = stack(names.local_dit, most_local_positions);
    for (auto [made, source] : {
             std::pair{&encoder_in, &names.encoder_in},
             {&enc_to_lm, &names.enc_to_lm},
             {&fsq_in, &names.fsq_in},
             {&fsq_out, &names.fsq_out},
             {&stop_proj, &names.stop_proj},
             {&lm_to_dit, &names.lm_to_dit},
             {&res_to_dit, &names.res_to_dit},
             {&cond, &names.dit_cond},
             {&out, &names.dit_out},
         })
        *made = linear(*source);
    stop_head = matrix(names.stop_head, count_to(2), count_to(config.base_lm.hidden), config.base_lm.hidden);
    if (config.v2) fusion = make_fusion(names.fusion);
    special_token = values(names.special_token);
    special_token.resize(encoder.shape.width());
    // LocDiT's input is computed by the kernel that makes it: [feature_dim][padded hidden]
    const std::vector<float> in = values(names.dit_in.weight);
    const int wide = config.local_dit.hidden, features = config.feature_dim;
    std::vector<float> turned(static_cast<size_t>(features) * dit.shape.width());
    for (int row = 0; row < wide; row++) {
        for (int f = 0; f < features; f++)
            turned[static_cast<size_t>(f) * dit.shape.width() + row] = in[static_cast<size_t>(row) * features + f];
    }
    dit_in_weight = arena_.copy(turned);
    dit_in_bias = upload(names.dit_in.bias);
    time_ = {
        {values(names.time_1.weight), values(names.time_2.weight)},
        {values(names.time_1.bias), values(names.time_2.bias)}
    };
    delta_ = {
        {values(names.delta_1.weight), values(names.delta_2.weight)},
        {values(names.delta_1.bias), values(names.delta_2.bias)}
    };
}

std::vector<float> Network::embed(const TimeEmbedding & layers, std::vector<float> x) {
    const size_t width = x.size();
    for (int i = 0; i < 2; i++) {
        std::vector<float> y(width);
        for (size_t row = 0; row < width; row++) {
            double sum = layers.bias[i][row];
            for (size_t k = 0; k < width; k++) sum += layers.weight[i][row * width + k] * x[k];
            y[row] = static_cast<float>(i == 0 ? sum / (1 + std::exp(-sum)) : sum);
        }
        x = std::move(y);
    }
    return x;
}

std::vector<float> Network::time_row(float time, float delta) const {
    const int width = config.local_dit.hidden;
    std::vector<float> row = time_mlp(time_sinusoids({time}, width));
    const std::vector<float> step = delta_mlp(time_sinusoids({delta}, width));
    for (int i = 0; i < width; i++) row[i] += step[i];
    row.resize(dit.shape.width());
    return row;
}

} // namespace svc::cuda
