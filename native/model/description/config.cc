#include "model/description/config.h"

#include <cctype>
#include <cmath>

namespace svc {
namespace {

int product(const std::vector<int> & values) {
    int64_t result = 1;
    for (int value : values) result *= value;
    return static_cast<int>(result);
}

// Far above published models. These numbers determine allocations, some of them before any tensor is checked.
constexpr int max_width = 1 << 17, max_layers = 512, max_heads = 1024, max_head_dim = 1024, max_vocab = 1 << 22,
              max_positions = 1 << 20, max_patch = 64, max_rate = 1000000;
constexpr size_t max_strides = 12, max_boundaries = 1024;
constexpr int64_t max_hop = 1 << 14;

int positive(
    const GgufFile & file, const std::string & key, int limit, std::optional<int64_t> fallback = std::nullopt
) {
    const int64_t value = file.integer(key, fallback);
    if (value < 1 || value > limit) file.refuse(key, " must be an integer from 1 to ", limit, ", got ", value);
    return static_cast<int>(value);
}

float between(const GgufFile & file, const std::string & key, double least, double most, double fallback) {
    const double value = file.number(key, fallback);
    if (value < least || value > most)
        file.refuse(key, " must be a number from ", least, " to ", most, ", got ", value);
    return static_cast<float>(value);
}

// A factor of activations.
float factor(const GgufFile & file, const std::string & key, double fallback) {
    return between(file, key, -1e6, 1e6, fallback);
}

std::vector<int> rates(const GgufFile & file, const std::string & key, const std::vector<int> & fallback) {
    const std::vector<double> values = file.numbers(key);
    if (values.empty()) return fallback;
    if (values.size() > max_strides)
        file.refuse(key, " must have at most ", max_strides, " strides, got ", values.size());
    std::vector<int> result;
    int64_t total = 1;
    for (double value : values) {
        if (!(value >= 1 && value <= 64) || value != std::floor(value))
            file.refuse(key, " must be integers from 1 to 64, got ", value);
        result.push_back(static_cast<int>(value));
        total *= result.back();
    }
    if (total > max_hop) file.refuse(key, " must have a product of at most ", max_hop, ", got ", total);
    return result;
}

// Files differ in the case of architectures.
std::string lower_case(std::string text) {
    for (char & letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return text;
}

// Heads have hidden/heads values unless `kv_channels` is set.
void set_heads(
    const GgufFile & file, TransformerConfig & config, const char * where, int heads, int kv_heads, int64_t kv_channels
) {
    config.heads = heads;
    config.kv_heads = kv_heads;
    if (kv_channels > max_head_dim || config.hidden / heads > max_head_dim)
        file.refuse(
            "heads of ", where, " must have at most ", max_head_dim, " values, got ",
            kv_channels > 0 ? kv_channels : config.hidden / heads
        );
    config.head_dim = kv_channels > 0 ? static_cast<int>(kv_channels) : config.hidden / heads;
    if (heads % kv_heads != 0)
        file.refuse("the number of heads of ", where, " must be a multiple of ", kv_heads, ", got ", heads);
    if (config.head_dim % 2 != 0 || config.head_dim < 2)
        file.refuse("the head size of ", where, " must be even, got ", config.head_dim);
}

TransformerConfig local_stack(
    const GgufFile & file, const std::string & prefix, const TransformerConfig & lm, bool mup, float scale_depth
) {
    TransformerConfig config = lm;
    config.hidden = positive(file, prefix + "hidden_dim", max_width, 1024);
    config.ffn = positive(file, prefix + "ffn_dim", max_width, 4096);
    config.layers = positive(file, prefix + "num_layers", max_layers, 4);
    set_heads(
        file, config, prefix.c_str(), positive(file, prefix + "num_heads", max_heads, 16), lm.kv_heads,
        file.integer(prefix + "kv_channels", 0)
    );
    config.residual_scale = mup ? scale_depth / std::sqrt(static_cast<float>(config.layers)) : 1.0f;
    return config;
}

RopeConfig read_rope(const GgufFile & file, int positions, int head_dim) {
    const std::string prefix = "voxcpm_lm_config_rope_scaling_";
    RopeConfig rope;
    rope.theta = between(file, "voxcpm_lm_config_rope_theta", 1, 1e12, 10000);
    rope.original_positions = positive(file, prefix + "original_max_position_embeddings", max_positions, positions);
    const double ratio = static_cast<double>(positions) / rope.original_positions;
    rope.scale =
        static_cast<float>(std::sqrt(1 + std::log(ratio) / std::log(static_cast<double>(rope.original_positions))));
    if (!std::isfinite(rope.scale))
        file.refuse("cannot scale RoPE from ", rope.original_positions, " to ", positions, " positions");
    const std::string key = prefix + (positions > rope.original_positions ? "long_factor" : "short_factor");
    for (double value : file.numbers(key)) {
        if (!(value >= 1e-6 && value <= 1e6)) file.refuse(key, " must be numbers from 1e-06 to 1e+06, got ", value);
        rope.factors.push_back(static_cast<float>(value));
    }
    if (rope.factors.empty()) rope.factors.assign(head_dim / 2, 1.0f);
    if (static_cast<int>(rope.factors.size()) != head_dim / 2)
        file.refuse(key, " must have ", head_dim / 2, " values, got ", rope.factors.size());
    return rope;
}

VaeConfig read_vae(const GgufFile & file, bool v2) {
    const std::string prefix = "voxcpm_audio_vae_config_";
    VaeConfig vae;
    vae.latent = positive(file, prefix + "latent_dim", max_width, 64);
    vae.encoder_rates = rates(file, prefix + "encoder_rates", {2, 5, 8, 8});
    vae.decoder_rates =
        rates(file, prefix + "decoder_rates", v2 ? std::vector<int>{8, 6, 5, 2, 2, 2} : std::vector<int>{8, 8, 5, 2});
    vae.sample_rate = positive(file, prefix + "sample_rate", max_rate, 16000);
    vae.out_sample_rate = v2 ? positive(file, prefix + "out_sample_rate", max_rate, 48000) : vae.sample_rate;
    if (v2) {
        const std::string key = prefix + "sr_bin_boundaries";
        for (double value : file.numbers(key)) {
            if (vae.rate_boundaries.size() >= max_boundaries)
                file.refuse(key, " must have at most ", max_boundaries, " values");
            if (!(value >= 0 && value <= max_rate))
                file.refuse(key, " must be sample rates from 0 to ", max_rate, " Hz, got ", value);
            vae.rate_boundaries.push_back(static_cast<int>(value));
        }
    }
    return vae;
}

} // namespace

int VaeConfig::encode_hop() const { return product(encoder_rates); }
int VaeConfig::decode_hop() const { return product(decoder_rates); }

Config read_config(const GgufFile & file) {
    if (!file.has("voxcpm_lm_config_hidden_size")) {
        const std::string kind = file.text("general.architecture", "unknown");
        const std::string known = lower_case(kind);
        if (known == "voxcpm-acoustic" || known == "minicpm4" || known == "minicpm")
            file.refuse(
                "one of the two files of llama.cpp-omni; convert both with 'svc export --format gguf --model-path FILE "
                "--output model.gguf'"
            );
        file.refuse("not a VoxCPM model (architecture \"", kind, "\")");
    }
    Config config;
    const std::string architecture = lower_case(file.text("voxcpm_architecture", "voxcpm"));
    if (architecture != "voxcpm" && architecture != "voxcpm2")
        file.refuse("voxcpm_architecture must be voxcpm or voxcpm2, got \"", architecture, "\"");
    config.v2 = architecture == "voxcpm2";
    const std::string lm = "voxcpm_lm_config_";
    const bool mup = file.integer(lm + "use_mup", 1) != 0;
    const float scale_depth = factor(file, lm + "scale_depth", 1.4);

    TransformerConfig & base = config.base_lm;
    base.hidden = positive(file, lm + "hidden_size", max_width);
    base.ffn = positive(file, lm + "intermediate_size", max_width);
    base.layers = positive(file, lm + "num_hidden_layers", max_layers);
    base.eps = between(file, lm + "rms_norm_eps", 1e-12, 1, 1e-5);
    base.rope = file.integer(lm + "no_rope", 0) == 0;
    set_heads(
        file, base, "voxcpm_lm_config", positive(file, lm + "num_attention_heads", max_heads),
        positive(file, lm + "num_key_value_heads", max_heads), file.integer(lm + "kv_channels", 0)
    );
    base.residual_scale = mup ? scale_depth / std::sqrt(static_cast<float>(base.layers)) : 1.0f;
    config.vocab = positive(file, lm + "vocab_size", max_vocab);
    config.embedding_scale = mup ? factor(file, lm + "scale_emb", 12) : 1.0f;

    config.residual_lm = base;
    config.residual_lm.layers = positive(file, "voxcpm_residual_lm_num_layers", max_layers, config.v2 ? 8 : 6);
    config.residual_lm.residual_scale =
        mup ? scale_depth / std::sqrt(static_cast<float>(config.residual_lm.layers)) : 1.0f;
    if (config.v2) config.residual_lm.rope = file.integer("voxcpm_residual_lm_no_rope", 0) == 0;
    config.local_encoder = local_stack(file, "voxcpm_encoder_config_", base, mup, scale_depth);
    config.local_dit = local_stack(file, "voxcpm_dit_config_", base, mup, scale_depth);
    config.rope = read_rope(file, positive(file, lm + "max_position_embeddings", max_positions), base.head_dim);
    if (config.local_encoder.head_dim != base.head_dim || config.local_dit.head_dim != base.head_dim) {
        file.refuse(
            "all stages must have heads of ", base.head_dim, " values, got ", config.local_encoder.head_dim, " and ",
            config.local_dit.head_dim, "; they share the RoPE factors"
        );
    }

    config.patch_size = positive(file, "voxcpm_patch_size", max_patch, config.v2 ? 4 : 2);
    config.feature_dim = positive(file, "voxcpm_feat_dim", max_width, 64);
    config.fsq_dim = positive(file, "voxcpm_scalar_quantization_latent_dim", max_width, config.v2 ? 512 : 256);
    config.fsq_scale = between(file, "voxcpm_scalar_quantization_scale", 1, 65536, 9);
    config.mean_mode = file.integer(config.v2 ? "voxcpm_dit_config_dit_mean_mode" : "voxcpm_dit_mean_mode", 0) != 0;
    config.context_length = positive(file, "voxcpm_max_length", max_positions, config.v2 ? 8192 : 4096);
    config.vae = read_vae(file, config.v2);
    if (config.vae.latent != config.feature_dim)
        file.refuse("voxcpm_audio_vae_config_latent_dim must be ", config.feature_dim, ", got ", config.vae.latent);
    return config;
}

} // namespace svc
