#include "model/session/prefix.h"

#include <algorithm>
#include <cmath>

#include "runtime/error.h"

namespace svc {

int Prefix::reference_length() const {
    if (audio.size() < 2 || audio[0] || !audio[1]) return 0;
    const auto end = std::find(audio.begin() + 1, audio.end(), 0);
    // something must follow the closing mark
    if (audio.end() - end < 2) return 0;
    return static_cast<int>(end - audio.begin()) + 1;
}

void check_prefix(const Prefix & prefix, const Config & config) {
    const size_t n = prefix.tokens.size();
    if (n < 1 || prefix.audio.size() != n)
        fail(
            "INVALID_REQUEST", "the audio mask must have one value for each of at least one position, got ",
            prefix.audio.size(), " for ", n
        );
    if (n > static_cast<size_t>(config.context_length))
        fail(
            "INVALID_REQUEST", "text and recordings are longer than the context of ", config.context_length,
            " positions: ", n
        );
    size_t patches = 0;
    for (size_t i = 0; i < n; i++) {
        if (prefix.audio[i] > 1)
            fail("INVALID_REQUEST", "the audio mask must be 0 or 1, got ", static_cast<int>(prefix.audio[i]));
        patches += prefix.audio[i];
        if (prefix.tokens[i] < 0 || prefix.tokens[i] >= config.vocab)
            fail("INVALID_REQUEST", "tokens must be from 0 to ", config.vocab - 1, ", got ", prefix.tokens[i]);
    }
    if (prefix.features.size() != patches * config.patch_values()) {
        fail(
            "INVALID_REQUEST", "features must have ", patches * config.patch_values(), " values for ", patches,
            " patches, got ", prefix.features.size()
        );
    }
    for (float value : prefix.features) {
        if (!std::isfinite(value)) fail("INVALID_REQUEST", "features must have finite values, got ", value);
    }
}

} // namespace svc
