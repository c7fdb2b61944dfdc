// The layers of the audio VAE, with the names and shapes of their weights: causal convolutions over a stream of frames.
//
// Each carries the frames to the left of a chunk as state, so that chunks give exactly the result of the whole signal. A new
// stream's state is zero: the zero padding of the official code (modules/audiovae/audio_vae.py and audio_vae_v2.py).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/description/config.h"
#include "model/file/gguf_file.h"

namespace svc {

// Frames carried from one chunk of a stream to the next.
struct CarriedFrames {
    int64_t channels, frames;
};

// y[t] = bias + sum over k of weight[k] · x[t · stride + k · dilation - padding]
struct ConvDescription {
    std::string
        name; // NAME.weight [kernel, in (1 when depthwise), out] with the kernel position innermost, NAME.bias [out]
    int64_t in, out;
    int kernel = 1, dilation = 1, stride = 1;
    int padding = 0; // frames carried
    bool depthwise = false;
    int state = -1; // index of the carried frames; -1 without padding
    int64_t weights() const { return kernel * (depthwise ? 1 : in) * out; }
};

// Transposed convolution with a kernel of twice the stride; the last `stride` outputs are dropped:
// y[t · stride + j] = bias + weight[j] · x[t] + weight[j + stride] · x[t - 1]
struct UpsampleDescription {
    std::string name; // NAME.weight [2 · stride, out, in] with the kernel position innermost, NAME.bias [out]
    int64_t in, out;
    int stride;
    int state; // index of the carried frame
    int64_t weights() const { return 2 * stride * in * out; }
};

// x + sin²(alpha · x) / (alpha + 1e-9)
struct SnakeDescription {
    std::string name; // NAME.alpha [channels]
    int64_t channels;
};

// Snake, dilated convolution, Snake, 1×1 convolution; added to the input.
struct ResidualUnitDescription {
    SnakeDescription first;
    ConvDescription dilated;
    SnakeDescription second;
    ConvDescription pointwise;
};

// Conditioning of a decoder block on the output sample rate (model 2): x · scale + bias, or an added or appended vector,
// chosen by the rate's bucket; then an output layer, depending on the tensors in the model.
struct RateConditionDescription {
    std::string name;
    int buckets;
    int64_t width;         // of a row of each table
    bool embedded;         // NAME.cond_embed.weight, else NAME.scale_embed.weight and NAME.bias_embed.weight
    bool appended = false; // only of an embedding
    std::optional<SnakeDescription> snake = std::nullopt;
    std::optional<ConvDescription> out = std::nullopt;
};

struct VaeDecoderDescription {
    struct Block {
        std::optional<RateConditionDescription> condition;
        SnakeDescription snake;
        UpsampleDescription upsample;
        std::vector<ResidualUnitDescription> units;
    };
    std::vector<ConvDescription> first;
    std::vector<Block> blocks;
    SnakeDescription snake;
    ConvDescription last;              // then tanh
    std::vector<int> rate_boundaries;  // upper bounds of buckets of sample rates
    std::vector<CarriedFrames> states; // of a stream

    int bucket_of(int sample_rate) const;
};

struct VaeEncoderDescription {
    struct Block {
        std::vector<ResidualUnitDescription> units;
        SnakeDescription snake;
        ConvDescription downsample;
    };
    ConvDescription first;
    std::vector<Block> blocks;
    ConvDescription mu;
    std::vector<CarriedFrames> states;
};

// Fail with MODEL_INVALID where the file's tensors can't be those of a VAE.
VaeDecoderDescription describe_vae_decoder(const Config & config, const GgufFile & file);
VaeEncoderDescription describe_vae_encoder(const Config & config, const GgufFile & file);

} // namespace svc
