#include "ggml-executor/session_memory.h"

#include <atomic>

namespace svc {
namespace {

uint64_t next_number() {
    static std::atomic<uint64_t> numbers{0};
    return ++numbers;
}

} // namespace

GgmlSessionMemory::GgmlSessionMemory(
    const Config & config, const Compute & compute, std::unique_ptr<VaeState> vae, std::span<const float> patch
)
    : number(next_number()), cache(config, compute), vae(std::move(vae)), patch(patch.begin(), patch.end()) {
    this->patch.resize(config.patch_values());
}

void GgmlSessionMemory::reserve(int positions, int used) {
    if (cache.reserve(positions, used)) number = next_number();
}

} // namespace svc
