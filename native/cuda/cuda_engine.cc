#include "cuda/cuda_engine.h"

#include <map>
#include <mutex>

#include "cuda/cuda_executor.h"
#include "runtime/error.h"

namespace svc::cuda {
namespace {

// Never destroyed: threads of a process that ends may still read them.
struct Loaded {
    std::mutex mutex;
    std::vector<Card> cards;
    std::map<std::string, std::vector<std::string>> modules; // by the name of the card
};
Loaded & loaded() {
    static auto & all = *new Loaded();
    return all;
}

std::vector<svc::Device> list_devices() {
    std::vector<svc::Device> devices;
    const std::lock_guard lock(loaded().mutex);
    for (const Card & card : loaded().cards) {
        svc::Device device{.engine = cuda_engine.name, .name = device_name(card), .description = card.name};
        device.type = svc::Device::Type::gpu;
        device.free_bytes = device.total_bytes = card.total_bytes;
        devices.push_back(device);
    }
    return devices;
}

} // namespace

const Engine cuda_engine = {
    "cuda",
    list_devices,
    [](const GgufFile & file, const Config & config, const ExecutorOptions & options) -> std::unique_ptr<Executor> {
        return std::make_unique<CudaExecutor>(file, config, open_card(find_card(options.device)));
    },
};

std::string device_name(const Card & card) { return "CUDA" + std::to_string(card.ordinal); }

const std::vector<Card> & load_cards() {
    std::vector<Card> found = cards();
    const std::lock_guard lock(loaded().mutex);
    if (loaded().cards.empty()) loaded().cards = std::move(found);
    return loaded().cards;
}

const Card & find_card(const std::string & name) {
    const std::lock_guard lock(loaded().mutex);
    for (const Card & card : loaded().cards) {
        if (device_name(card) == name) return card;
    }
    fail("BACKEND_UNAVAILABLE", "there is no card ", name);
}

void set_modules(const std::string & name, std::vector<std::string> texts) {
    const std::lock_guard lock(loaded().mutex);
    loaded().modules[name] = std::move(texts);
}

std::unique_ptr<Device> open_card(const Card & card) {
    const std::string needed = modules_for(card).front();
    const std::lock_guard lock(loaded().mutex);
    const std::vector<std::string> & texts = loaded().modules[device_name(card)];
    if (texts.empty()) fail("BACKEND_UNAVAILABLE", "the kernels ", needed, " are not loaded");
    return open_card(card, texts);
}

} // namespace svc::cuda
