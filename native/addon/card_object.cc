// Addon functions for NVIDIA cards, whose driver only child processes load. macOS has none.
#if defined(__linux__) || defined(_WIN32)
#include <memory>

#include "addon/engines.h"
#include "addon/extension.h"
#include "addon/task.h"
#include "addon/values.h"
#include "cuda/card_check.h"
#include "cuda/cuda_engine.h"
#include "cuda/driver.h"

namespace svc {
namespace {

// Never destroyed: the driver may already be unloaded when the process ends.
std::unique_ptr<cuda::CardCheck> & card_check() {
    static auto & check = *new std::unique_ptr<cuda::CardCheck>();
    return check;
}

// The modules for the card; none if it is too old.
std::vector<std::string> modules_or_none(const cuda::Card & card) {
    try {
        return cuda::modules_for(card);
    } catch (const Error &) {
        return {};
    }
}

Napi::Object from_card(Napi::Env env, const cuda::Card & card) {
    Napi::Object object = Napi::Object::New(env);
    object.Set("engine", cuda::cuda_engine.name);
    object.Set("name", cuda::device_name(card));
    object.Set("description", card.name);
    object.Set("type", "gpu");
    object.Set("id", card.place);
    object.Set("freeBytes", static_cast<double>(card.total_bytes));
    object.Set("totalBytes", static_cast<double>(card.total_bytes));
    object.Set("bytesPerSecond", card.bytes_per_second);
    object.Set("operationsPerSecond", card.operations_per_second);
    object.Set("cudaVersion", cuda::version_text(card.cuda_version));
    object.Set("modules", from_texts(env, modules_or_none(card)));
    const std::string capability = std::to_string(card.capability / 10) + "." + std::to_string(card.capability % 10);
    object.Set("features", from_texts(env, {"compute capability " + capability}));
    return object;
}

Napi::Value load_cards(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        Napi::Array cards = Napi::Array::New(env);
        for (const cuda::Card & card : cuda::load_cards()) cards.Set(cards.Length(), from_card(env, card));
        return cards;
    });
}

Napi::Value set_card_modules(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const Napi::Array all = info[1].As<Napi::Array>();
        std::vector<std::string> texts;
        for (uint32_t i = 0; i < all.Length(); i++) {
            const std::vector<uint8_t> text = to_bytes(all.Get(i), "texts");
            texts.emplace_back(text.begin(), text.end());
        }
        cuda::set_modules(to_text(info[0], "name"), std::move(texts));
        return env.Undefined();
    });
}

Napi::Value open_card_check(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        card_check().reset();
        card_check() = std::make_unique<cuda::CardCheck>(cuda::open_card(cuda::find_card(to_text(info[0], "name"))));
        return from_texts(env, card_check()->names());
    });
}

Napi::Value run_card_check(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        if (!card_check()) fail("INVALID_REQUEST", "no check of a card is open");
        const int last = static_cast<int>(card_check()->names().size()) - 1;
        card_check()->run(to_integer(info[0], "index", 0, last));
        return env.Undefined();
    });
}

Napi::Value card_memory(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const cuda::Card & card = cuda::find_card(to_text(info[0], "name"));
        Napi::Object object = Napi::Object::New(env);
        object.Set("freeBytes", static_cast<double>(cuda::free_bytes_of(card)));
        object.Set("totalBytes", static_cast<double>(card.total_bytes));
        return object;
    });
}

const Extension card_extension([](Napi::Env env, Napi::Object exports) {
    exports.Set("loadCards", Napi::Function::New(env, load_cards, "loadCards"));
    exports.Set("setCardModules", Napi::Function::New(env, set_card_modules, "setCardModules"));
    exports.Set("openCardCheck", Napi::Function::New(env, open_card_check, "openCardCheck"));
    exports.Set("runCardCheck", Napi::Function::New(env, run_card_check, "runCardCheck"));
    exports.Set("cardMemory", Napi::Function::New(env, card_memory, "cardMemory"));
});

// Once, when the addon is loaded.
const bool card_engine_added = [] {
    add_engine(cuda::cuda_engine);
    return true;
}();

} // namespace
} // namespace svc
#endif
