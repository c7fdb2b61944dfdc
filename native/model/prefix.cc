#include "model/prefix.h"

#include <algorithm>
#include <cmath>

#include "runtime/error.h"

namespace svc {

int Prefix::reference_length() const {
    if (audio.size() < 2 || audio[0] || !audio[1]) return 0;
    const auto end = std::find(audio.begin() + 1, audio.end(), 0);
    // behind the closing mark something follows
    if (audio.end() - end < 2) return 0;
    return static_cast<int>(end - audio.begin()) + 1;
}

void check_prefix(const Prefix & prefix, const Config & config) {
    const size_t n = prefix.tokens.size();
    if (n < 1 || prefix.audio.size() != n) fail("INVALID_REQUEST", "expected one mask value for each of at least one position, received ", prefix.audio.size(), " for ", n);
    if (n > static_cast<size_t>(config.max_length)) fail("INVALID_REQUEST", "expected at most ", config.max_length, " positions for text and prompt together, received ", n);
    size_t patches = 0;
    for (size_t i = 0; i < n; i++) {
        if (prefix.audio[i] > 1) fail("INVALID_REQUEST", "expected 0 or 1 for the audio mask, received ", static_cast<int>(prefix.audio[i]));
        patches += prefix.audio[i];
        if (prefix.tokens[i] < 0 || prefix.tokens[i] >= config.vocab) fail("INVALID_REQUEST", "expected a token below ", config.vocab, ", received ", prefix.tokens[i]);
    }
    if (prefix.features.size() != patches * config.patch_values()) {
        fail("INVALID_REQUEST", "expected ", patches * config.patch_values(), " feature values for ", patches, " patches, received ", prefix.features.size());
    }
    for (float value : prefix.features) {
        if (!std::isfinite(value)) fail("INVALID_REQUEST", "expected finite feature values, received ", value);
    }
}

} // namespace svc
