// `probe` of the JavaScript object of a model.
#include "addon/model_object.h"
#include "addon/values.h"
#include "probe/probe.h"

namespace svc {

Napi::Value ModelObject::probe(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const Handle model = handle(env);
        const std::string stage = to_text(info[0], "stage");
        Arrays inputs = to_arrays(info[1], "inputs");
        const std::map<std::string, double> parameters = to_numbers(info[2], "parameters");
        return worker_->run(env, [model, stage, inputs = std::move(inputs), parameters] {
            auto results = svc::probe(*model, stage, inputs, parameters);
            return Worker::Finish([results = std::move(results)](Napi::Env env) -> Napi::Value {
                return from_arrays(env, results);
            });
        });
    });
}

} // namespace svc
