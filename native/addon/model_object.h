// The JavaScript object of a model: `NativeModel` in src/engine/backends/native/addon.ts.
#pragma once
#include <napi.h>

#include <memory>

#include "addon/task.h"
#include "model/session/model.h"

namespace svc {

class ModelObject : public Napi::ObjectWrap<ModelObject> {
public:
    static void define(Napi::Env env);
    // Reads the description of a model on a new worker thread; resolves to a ModelObject.
    static Napi::Value open_model(const Napi::CallbackInfo & info);
    explicit ModelObject(const Napi::CallbackInfo & info);

private:
    using Handle = std::shared_ptr<Model>;
    const Handle & handle(Napi::Env env) const;

    Napi::Value info(const Napi::CallbackInfo & info);
    Napi::Value load(const Napi::CallbackInfo & info);
    Napi::Value metadata(const Napi::CallbackInfo & info);
    Napi::Value stage_times(const Napi::CallbackInfo & info);
    Napi::Value memory_use(const Napi::CallbackInfo & info);
    Napi::Value open_encoding(const Napi::CallbackInfo & info);
    Napi::Value encode(const Napi::CallbackInfo & info);
    Napi::Value close_encoding(const Napi::CallbackInfo & info);
    Napi::Value open_adapter(const Napi::CallbackInfo & info);
    Napi::Value close_adapter(const Napi::CallbackInfo & info);
    Napi::Value open(const Napi::CallbackInfo & info);
    Napi::Value prefill(const Napi::CallbackInfo & info);
    Napi::Value step(const Napi::CallbackInfo & info);
    Napi::Value decode(const Napi::CallbackInfo & info);
    Napi::Value close_session(const Napi::CallbackInfo & info);
    // Exported only by addons that are built for tests.
    Napi::Value probe(const Napi::CallbackInfo & info);
    Napi::Value close(const Napi::CallbackInfo & info);

    Handle model_;
    std::shared_ptr<Worker> worker_;
};

} // namespace svc
