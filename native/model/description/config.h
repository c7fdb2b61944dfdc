// Hyperparameters of a model, from metadata written by VoxCPM.cpp's converter: the checkpoint's config.json, flattened
// with the prefix `voxcpm_`.
// Defaults are those of the official configuration classes.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "model/description/layer.h"
#include "model/file/gguf_file.h"

namespace svc {

struct RopeConfig {
    float theta = 10000;
    int original_positions = 0;
    // Factor of both cos and sin.
    float scale = 1;
    // head_dim / 2 divisors of the inverse frequencies.
    std::vector<float> factors;
};

struct VaeConfig {
    int latent = 0;
    std::vector<int> encoder_rates;
    std::vector<int> decoder_rates;
    int sample_rate = 0;
    int out_sample_rate = 0;
    // Upper bounds of the sample rate buckets that condition the decoder; empty without conditioning.
    std::vector<int> rate_boundaries;
    int encode_hop() const;
    int decode_hop() const;
};

struct Config {
    bool v2 = false;
    TransformerConfig base_lm;
    TransformerConfig residual_lm;
    TransformerConfig local_encoder;
    TransformerConfig local_dit;
    RopeConfig rope;
    VaeConfig vae;
    int vocab = 0;
    // Factor of token embeddings (muP); 1 without muP.
    float embedding_scale = 1;
    int patch_size = 0;
    int feature_dim = 0;
    int fsq_dim = 0;
    float fsq_scale = 9;
    // Mean mode: the estimator is also conditioned on the step width.
    bool mean_mode = false;
    int context_length = 0;

    int mu_tokens() const { return v2 ? 2 : 1; }
    // Positions of a sequence of LocDiT. Model 1 adds the time to its mu token; model 2 has a token for it.
    int dit_length() const { return (v2 ? mu_tokens() + 1 : 1) + 2 * patch_size; }
    int patch_values() const { return patch_size * feature_dim; }
};

// Fails with MODEL_INVALID and names the key.
Config read_config(const GgufFile & file);

} // namespace svc
