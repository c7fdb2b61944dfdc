// The weights that the description of a model has, for tests of the exports.
#include "addon/extension.h"
#include "addon/task.h"
#include "addon/values.h"
#include "model/description/network.h"
#include "model/description/vae.h"

namespace svc {
namespace {

// Shapes by name, outermost dimension first.
class Listing {
public:
    int matrix(const MatrixName & name) {
        add(name.name + ".weight", {name.out, name.in});
        return 0;
    }
    int fused(const std::vector<MatrixName> & parts, Arrangement) {
        for (const MatrixName & part : parts) matrix(part);
        return 0;
    }
    int table(const MatrixName & name) { return matrix(name); }
    int vector(const std::string & name, int64_t count) {
        add(name, {count});
        return 0;
    }
    void conv(const ConvDescription & conv) {
        add(conv.name + ".weight", {conv.out, conv.depthwise ? 1 : conv.in, conv.kernel});
        add(conv.name + ".bias", {conv.out});
    }
    void snake(const SnakeDescription & snake) { add(snake.name + ".alpha", {snake.channels}); }
    void units(const std::vector<ResidualUnitDescription> & units) {
        for (const ResidualUnitDescription & unit : units) {
            snake(unit.first);
            conv(unit.dilated);
            snake(unit.second);
            conv(unit.pointwise);
        }
    }
    void condition(const RateConditionDescription & condition) {
        const auto table = [&](const char * which) {
            add(condition.name + "." + which + ".weight", {condition.buckets, condition.width});
        };
        if (condition.embedded) table("cond_embed");
        else
            for (const char * which : {"scale_embed", "bias_embed"}) table(which);
        if (condition.snake) snake(*condition.snake);
        if (condition.out) conv(*condition.out);
    }
    void decoder(const VaeDecoderDescription & vae) {
        for (const ConvDescription & first : vae.first) conv(first);
        for (const auto & block : vae.blocks) {
            if (block.condition) condition(*block.condition);
            snake(block.snake);
            const UpsampleDescription & up = block.upsample;
            add(up.name + ".weight", {up.in, up.out, 2 * up.stride});
            add(up.name + ".bias", {up.out});
            units(block.units);
        }
        snake(vae.snake);
        conv(vae.last);
    }
    void encoder(const VaeEncoderDescription & vae) {
        conv(vae.first);
        for (const auto & block : vae.blocks) {
            units(block.units);
            snake(block.snake);
            conv(block.downsample);
        }
        conv(vae.mu);
    }

    std::map<std::string, std::vector<int64_t>> shapes;

private:
    void add(const std::string & name, std::vector<int64_t> shape) {
        if (!shapes.emplace(name, std::move(shape)).second) fail("INTERNAL", name, " is described twice");
    }
};

// describedWeights(path): { [name]: shape }
Napi::Value described_weights(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const GgufFile file(to_text(info[0], "path"));
        const Config config = read_config(file);
        Listing listing;
        load_network(config, listing);
        listing.decoder(describe_vae_decoder(config, file));
        listing.encoder(describe_vae_encoder(config, file));
        Napi::Object object = Napi::Object::New(env);
        for (const auto & [name, shape] : listing.shapes) {
            Napi::Array lengths = Napi::Array::New(env);
            for (int64_t length : shape) lengths.Set(lengths.Length(), static_cast<double>(length));
            object.Set(name, lengths);
        }
        return object;
    });
}

const Extension description_extension([](Napi::Env env, Napi::Object exports) {
    exports.Set("describedWeights", Napi::Function::New(env, described_weights, "describedWeights"));
});

} // namespace
} // namespace svc
