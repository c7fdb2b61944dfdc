// The weights of a model besides its audio VAE (vae.h): the name and the shape of each, once for all executors, the exports'
// tests and the check of a file.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "model/description/config.h"

namespace svc {

// A matrix in the file, without ".weight": `out` rows of `in` values.
struct MatrixName {
    std::string name;
    int64_t in, out;
};

// Several matrices with the same input: the rows of one after the other, or of gate and up in turn.
enum class Arrangement { stacked, interleaved };

// y = weight · x + bias
template <typename Matrix, typename Vector>
struct LinearOf {
    Matrix weight;
    Vector bias;
};

// A MiniCPM-4 stack.
template <typename Matrix, typename Vector>
struct StackOf {
    std::string prefix; // of all names
    TransformerConfig config;
    std::vector<LayerOf<Matrix, Vector>> layers;
    Vector output_norm;
};

// `Table` holds embeddings, `Fused` matrices with the same input; see load_network().
template <typename Matrix, typename Vector, typename Fused = Matrix, typename Table = Matrix>
struct NetworkOf {
    using Linear = LinearOf<Matrix, Vector>;
    using Stack = StackOf<Fused, Vector>;

    Table tokens;
    Stack base_lm, residual_lm;
    // LocEnc
    Linear encoder_in;
    Vector special_token;
    Stack local_encoder;
    Linear enc_to_lm;
    Linear fsq_in, fsq_out;
    Linear fusion; // model 2 only
    Linear lm_to_dit, res_to_dit;
    Linear stop_proj;
    Matrix stop_head;
    // LocDiT
    Linear dit_in, dit_cond, dit_out, time_1, time_2, delta_1, delta_2;
    Stack local_dit;
};

namespace network_detail {

template <typename Loader>
auto load_stack(Loader & load, const std::string & prefix, const TransformerConfig & config) {
    using Fused = decltype(load.fused(std::vector<MatrixName>(), Arrangement::stacked));
    using Vector = decltype(load.vector(std::string(), int64_t{}));
    StackOf<Fused, Vector> stack{.prefix = prefix, .config = config, .layers = {}, .output_norm = {}};
    const int64_t hidden = config.hidden, ffn = config.ffn,
                  queries = static_cast<int64_t>(config.heads) * config.head_dim,
                  keys = static_cast<int64_t>(config.kv_heads) * config.head_dim;
    for (int i = 0; i < config.layers; i++) {
        const std::string block = prefix + "blk." + std::to_string(i) + ".";
        stack.layers.push_back({
            .attention_norm = load.vector(block + "attn_norm.weight", hidden),
            .qkv = load.fused(
                {{block + "attn_q", hidden, queries},
                 {block + "attn_k", hidden, keys},
                 {block + "attn_v", hidden, keys}},
                Arrangement::stacked
            ),
            .o = load.fused({{block + "attn_output", queries, hidden}}, Arrangement::stacked),
            .ffn_norm = load.vector(block + "ffn_norm.weight", hidden),
            .gate_up = load.fused(
                {{block + "ffn_gate", hidden, ffn}, {block + "ffn_up", hidden, ffn}}, Arrangement::interleaved
            ),
            .down = load.fused({{block + "ffn_down", ffn, hidden}}, Arrangement::stacked),
        });
    }
    stack.output_norm = load.vector(prefix + "output_norm.weight", hidden);
    return stack;
}

} // namespace network_detail

// `load` has matrix(MatrixName), fused(std::vector<MatrixName>, Arrangement), table(MatrixName) and vector(name, count), which
// fail with MODEL_INVALID where the file has no such tensor. It sees all weights in a fixed order.
template <typename Loader>
auto load_network(const Config & config, Loader & load) {
    using Matrix = decltype(load.matrix(MatrixName()));
    using Vector = decltype(load.vector(std::string(), int64_t{}));
    using Fused = decltype(load.fused(std::vector<MatrixName>(), Arrangement::stacked));
    using Table = decltype(load.table(MatrixName()));
    const int64_t hidden = config.base_lm.hidden, encoder = config.local_encoder.hidden, dit = config.local_dit.hidden,
                  features = config.feature_dim, levels = config.fsq_dim;
    const auto linear = [&](const std::string & name, int64_t in, int64_t out) {
        Matrix weight = load.matrix({name, in, out});
        return LinearOf<Matrix, Vector>{std::move(weight), load.vector(name + ".bias", out)};
    };
    NetworkOf<Matrix, Vector, Fused, Table> network;
    network.tokens = load.table({"token_embd", hidden, config.vocab});
    network.base_lm = network_detail::load_stack(load, "", config.base_lm);
    network.residual_lm = network_detail::load_stack(load, "residual_lm.", config.residual_lm);
    network.encoder_in = linear("locenc.in_proj", features, encoder);
    network.special_token = load.vector("locenc.special_token", encoder);
    network.local_encoder = network_detail::load_stack(load, "locenc.", config.local_encoder);
    network.enc_to_lm = linear("proj.enc_to_lm", encoder, hidden);
    network.fsq_in = linear("fsq.in_proj", hidden, levels);
    network.fsq_out = linear("fsq.out_proj", levels, hidden);
    network.lm_to_dit = linear("proj.lm_to_dit", hidden, dit);
    network.res_to_dit = linear("proj.res_to_dit", hidden, dit);
    network.stop_proj = linear("stop.stop_proj", hidden, hidden);
    network.stop_head = load.matrix({"stop.stop_head", hidden, 2});
    network.dit_in = linear("locdit.in_proj", features, dit);
    network.dit_cond = linear("locdit.cond_proj", features, dit);
    network.dit_out = linear("locdit.out_proj", dit, features);
    network.time_1 = linear("locdit.time_mlp.linear_1", dit, dit);
    network.time_2 = linear("locdit.time_mlp.linear_2", dit, dit);
    network.delta_1 = linear("locdit.delta_time_mlp.linear_1", dit, dit);
    network.delta_2 = linear("locdit.delta_time_mlp.linear_2", dit, dit);
    network.local_dit = network_detail::load_stack(load, "locdit.", config.local_dit);
    if (config.v2) network.fusion = linear("proj.fusion_concat", 2 * hidden, hidden);
    return network;
}

} // namespace svc
