// A transformer and the weights of its layers. Plain data: the CPU kernels compile this header for several instruction sets.
#pragma once

namespace svc {

// The shape of a MiniCPM-4 stack.
struct TransformerConfig {
    int hidden = 0;
    int ffn = 0;
    int layers = 0;
    int heads = 0;
    int kv_heads = 0;
    int head_dim = 0;
    float eps = 1e-5f;
    // Factor of each residual branch (muP); 1 without muP.
    float residual_scale = 1;
    bool rope = true;
};

// The weights of a layer, in the order of its stages. See network.h for their names and shapes.
template <typename Matrix, typename Vector>
struct LayerOf {
    Vector attention_norm;
    Matrix qkv; // the rows of q, k and v
    Matrix o;
    Vector ffn_norm;
    Matrix gate_up; // interleaved for our kernels
    Matrix down;
};

} // namespace svc
