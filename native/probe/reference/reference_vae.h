// The audio VAE in plain loops of double precision. Rows are frames, a value per channel.
#pragma once
#include <map>

#include "model/description/vae.h"
#include "probe/reference/reference_network.h"

namespace svc::reference {

// Frames carried by each convolution of a stream.
using VaeState = std::vector<Rows>;

class Vae {
public:
    Vae(const Config & config, const GgufFile & file);
    VaeState decoder_state() const { return zeros(decoder_.states); }
    VaeState encoder_state() const { return zeros(encoder_.states); }
    // Latent frames → samples.
    Row decode(Rows latents, VaeState & state, int sample_rate, Taps * taps = nullptr) const;
    // Samples, whole frames → latent frames.
    Rows encode(const Row & samples, VaeState & state, Taps * taps = nullptr) const;

private:
    static VaeState zeros(const std::vector<CarriedFrames> & shapes);
    const Row & values(const std::string & name) const { return values_.at(name); }
    void read(const GgufFile & file, const std::string & name, int64_t count);
    void read(const GgufFile & file, const ConvDescription & conv);
    void read(const GgufFile & file, const SnakeDescription & snake);
    void read(const GgufFile & file, const ResidualUnitDescription & unit);
    void read(const GgufFile & file, const RateConditionDescription & condition);
    Rows conv(const ConvDescription & conv, const Rows & x, VaeState & state) const;
    Rows upsample(const UpsampleDescription & upsample, const Rows & x, VaeState & state) const;
    Rows snake(const SnakeDescription & snake, Rows x) const;
    Rows unit(const ResidualUnitDescription & unit, const Rows & x, VaeState & state) const;
    Rows condition(const RateConditionDescription & condition, Rows x, VaeState & state, int bucket) const;

    const VaeDecoderDescription decoder_;
    const VaeEncoderDescription encoder_;
    std::map<std::string, Row> values_;
};

} // namespace svc::reference
