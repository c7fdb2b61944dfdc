#include "addon/model_object.h"

#include "addon/engines.h"
#include "addon/values.h"
#include "runtime/memory.h"

namespace svc {
namespace {

struct EnvironmentData {
    Napi::FunctionReference model_constructor;
};

// A loaded model and its worker, passed to the new ModelObject.
struct Loaded {
    std::shared_ptr<Model> model;
    std::shared_ptr<Worker> worker;
};

std::vector<int> to_sessions(const Napi::Value & value) {
    if (!value.IsArray()) fail("INVALID_REQUEST", "sessions must be an array");
    const auto array = value.As<Napi::Array>();
    std::vector<int> sessions;
    for (uint32_t i = 0; i < array.Length(); i++) sessions.push_back(to_handle(array.Get(i), "session"));
    if (sessions.empty()) fail("INVALID_REQUEST", "sessions must not be empty");
    return sessions;
}

// An entry of an array of `count`.
Napi::Value entry(const Napi::Value & value, const char * name, size_t count, uint32_t index) {
    if (!value.IsArray() || value.As<Napi::Array>().Length() != count)
        fail("INVALID_REQUEST", name, " must be an array of ", count, " values");
    return value.As<Napi::Array>().Get(index);
}

std::vector<std::vector<float>> to_batch(const Napi::Value & value, const char * name, size_t count) {
    if (!value.IsArray() || value.As<Napi::Array>().Length() != count)
        fail("INVALID_REQUEST", name, " must be an array with one entry per session");
    std::vector<std::vector<float>> batch;
    for (uint32_t i = 0; i < count; i++) batch.push_back(to_finite_floats(value.As<Napi::Array>().Get(i), name));
    return batch;
}

Worker::Finish nothing() {
    return [](Napi::Env env) { return env.Undefined(); };
}

Worker::Finish number(int value) {
    return [value](Napi::Env env) { return Napi::Number::New(env, value); };
}

} // namespace

void ModelObject::define(Napi::Env env) {
    const Napi::Function constructor = DefineClass(
        env, "NativeModel",
        {
            InstanceAccessor<&ModelObject::info>("info"),
            InstanceMethod<&ModelObject::load>("load"),
            InstanceMethod<&ModelObject::metadata>("metadata"),
            InstanceMethod<&ModelObject::stage_times>("stageTimes"),
            InstanceMethod<&ModelObject::memory_use>("memoryUse"),
            InstanceMethod<&ModelObject::open_encoding>("openEncoding"),
            InstanceMethod<&ModelObject::encode>("encode"),
            InstanceMethod<&ModelObject::close_encoding>("closeEncoding"),
            InstanceMethod<&ModelObject::open_adapter>("openAdapter"),
            InstanceMethod<&ModelObject::close_adapter>("closeAdapter"),
            InstanceMethod<&ModelObject::open>("open"),
            InstanceMethod<&ModelObject::prefill>("prefill"),
            InstanceMethod<&ModelObject::step>("step"),
            InstanceMethod<&ModelObject::decode>("decode"),
            InstanceMethod<&ModelObject::close_session>("closeSession"),
#ifdef SVC_PROBE
            InstanceMethod<&ModelObject::probe>("probe"),
#endif
            InstanceMethod<&ModelObject::close>("close"),
        }
    );
    auto * data = new EnvironmentData();
    data->model_constructor = Napi::Persistent(constructor);
    env.SetInstanceData(data);
}

Napi::Value ModelObject::open_model(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const std::string path = to_text(info[0], "path"), device = to_text(info[1], "device");
        const int threads = to_integer(info[2], "threads", 1, max_threads);
        const std::string kernels = to_text(info[3], "kernels");
        const std::string dit_type = info[4].IsUndefined() ? "auto" : to_text(info[4], "ditType");
        const std::shared_ptr<Worker> created = Worker::create(env);
        return created->run(env, [=, worker = created.get()] {
            auto model = std::make_shared<Model>(
                path, find_engine(device, kernels), ExecutorOptions{device, threads, kernels, dit_type}
            );
            return Worker::Finish([=](Napi::Env env) -> Napi::Value {
                Loaded loaded{model, worker->shared_from_this()};
                return env.GetInstanceData<EnvironmentData>()->model_constructor.New(
                    {Napi::External<Loaded>::New(env, &loaded)}
                );
            });
        });
    });
}

ModelObject::ModelObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<ModelObject>(info) {
    if (!info[0].IsExternal())
        throw to_js_error(
            info.Env(), Error("INVALID_REQUEST", "NativeModel cannot be constructed directly; use openModel()")
        );
    const Loaded & loaded = *info[0].As<Napi::External<Loaded>>().Data();
    model_ = loaded.model;
    worker_ = loaded.worker;
}

const ModelObject::Handle & ModelObject::handle(Napi::Env env) const {
    if (!model_) throw to_js_error(env, Error("INVALID_REQUEST", "the model is closed"));
    return model_;
}

Napi::Value ModelObject::info(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    const Handle & model = handle(env);
    const Config & config = model->config();
    Napi::Object object = Napi::Object::New(env);
    object.Set("architecture", config.v2 ? "voxcpm2" : "voxcpm");
    object.Set("patchSize", config.patch_size);
    object.Set("featureDim", config.feature_dim);
    object.Set("hiddenSize", config.base_lm.hidden);
    object.Set("vocabSize", config.vocab);
    object.Set("encodeHop", config.vae.encode_hop());
    object.Set("decodeHop", config.vae.decode_hop());
    object.Set("inputSampleRate", config.vae.sample_rate);
    object.Set("outputSampleRate", config.vae.out_sample_rate);
    object.Set("maxLength", config.context_length);
    object.Set("weightType", model->file().dominant_type());
    object.Set("engine", model->executor().engine());
    object.Set("device", model->executor().device());
    object.Set("kernels", model->executor().kernels());
    object.Set("decodesBeside", model->executor().decodes_beside());
    return object;
}

Napi::Value ModelObject::load(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const Handle model = handle(env);
        return worker_->run(env, [model, worker = worker_.get()] {
            model->load(worker->stopping());
            return nothing();
        });
    });
}

Napi::Value ModelObject::metadata(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&] { return from_metadata(env, handle(env)->file(), to_text(info[0], "key")); });
}

Napi::Value ModelObject::stage_times(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    const Handle & model = handle(env);
    const Work work = model->executor().work();
    if (!work.milliseconds) return env.Undefined();
    Napi::Object object = Napi::Object::New(env);
    object.Set("languageModels", work.milliseconds->language_models);
    object.Set("localEncoder", work.milliseconds->local_encoder);
    object.Set("flow", work.milliseconds->flow);
    object.Set("phases", work.phases);
    object.Set("graphs", work.graphs);
    if (work.traffic) {
        object.Set("launches", work.traffic->launches);
        object.Set("weightBytes", work.traffic->weight_bytes);
        object.Set("bytes", work.traffic->bytes);
        object.Set("operations", work.traffic->operations);
        object.Set("compile", work.compile_milliseconds);
    }
    return object;
}

Napi::Value ModelObject::memory_use(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    const MemoryUse & use = handle(env)->memory_use();
    Napi::Object object = Napi::Object::New(env);
    object.Set("bytes", static_cast<double>(use.bytes.load()));
    object.Set("remembered", static_cast<double>(use.remembered.load()));
    object.Set("computed", static_cast<double>(use.computed.load()));
    return object;
}

Napi::Value ModelObject::open_encoding(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const Handle model = handle(env);
        auto samples = std::make_shared<std::vector<float>>(to_finite_floats(info[0], "samples"));
        return worker_->run(env, [model, samples] { return number(model->open_encoding(std::move(*samples))); });
    });
}

Napi::Value ModelObject::encode(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const Handle model = handle(env);
        const int encoding = to_handle(info[0], "encoding");
        return worker_->run(env, [=] {
            auto latents = model->encode(encoding);
            return Worker::Finish([latents = std::move(latents)](Napi::Env env) -> Napi::Value {
                return from_floats(env, latents);
            });
        });
    });
}

Napi::Value ModelObject::close_encoding(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const Handle model = handle(env);
        const int encoding = to_handle(info[0], "encoding");
        return worker_->run(env, [=] {
            model->close_encoding(encoding);
            return nothing();
        });
    });
}

Napi::Value ModelObject::open_adapter(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const Handle model = handle(env);
        const std::vector<std::string> targets = to_texts(info[0], "targets");
        const std::vector<int32_t> ranks = to_integers(info[1], "ranks");
        if (ranks.size() != targets.size())
            fail(
                "INVALID_REQUEST", "ranks must have one value per target, got ", ranks.size(), " for ", targets.size()
            );
        const auto updates = std::make_shared<std::vector<LoraUpdate>>();
        for (uint32_t i = 0; i < targets.size(); i++)
            updates->push_back({
                .target = targets[i],
                .rank = ranks[i],
                .a = to_floats(entry(info[2], "a", targets.size(), i), "a"),
                .b = to_floats(entry(info[3], "b", targets.size(), i), "b"),
            });
        const float scale = static_cast<float>(to_number(info[4], "scale"));
        return worker_->run(env, [=] { return number(model->open_adapter(*updates, scale)); });
    });
}

Napi::Value ModelObject::close_adapter(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const Handle model = handle(env);
        const int adapter = to_handle(info[0], "adapter");
        return worker_->run(env, [=] {
            model->close_adapter(adapter);
            return nothing();
        });
    });
}

Napi::Value ModelObject::open(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const Handle model = handle(env);
        const auto prefix = std::make_shared<Prefix>();
        if (!info[0].IsObject()) fail("INVALID_REQUEST", "the settings of a session must be an object");
        const auto settings = info[0].As<Napi::Object>();
        const auto has = [&](const char * name) { return !settings.Get(name).IsUndefined(); };
        prefix->tokens = to_integers(settings.Get("tokens"), "tokens");
        prefix->audio = to_bytes(settings.Get("audioMask"), "the audio mask");
        prefix->features = to_finite_floats(settings.Get("features"), "features");
        const float cfg = static_cast<float>(to_number(settings.Get("cfg"), "cfg"));
        const int timesteps = to_integer(settings.Get("timesteps"), "timesteps", 1, 1000);
        TextCells text;
        if (has("text")) {
            const std::vector<int32_t> range = to_integers(settings.Get("text"), "text");
            if (range.size() != 2) fail("INVALID_REQUEST", "text must be two integers, got ", range.size());
            text = {range[0], range[1]};
        }
        const int adapter = has("adapter") ? to_handle(settings.Get("adapter"), "adapter") : 0;
        const float weight = has("weight") ? static_cast<float>(to_number(settings.Get("weight"), "weight")) : 1.0f;
        return worker_->run(env, [=] {
            return number(model->open(std::move(*prefix), cfg, timesteps, text, adapter, weight));
        });
    });
}

Napi::Value ModelObject::prefill(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const Handle model = handle(env);
        const int session = to_handle(info[0], "session");
        return worker_->run(env, [=] {
            const bool filled = model->prefill(session);
            return Worker::Finish([filled](Napi::Env env) -> Napi::Value { return Napi::Boolean::New(env, filled); });
        });
    });
}

Napi::Value ModelObject::step(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const Handle model = handle(env);
        const std::vector<int> sessions = to_sessions(info[0]);
        const auto noise = to_batch(info[1], "noise", sessions.size());
        const Trace trace = to_text(info[2], "trace") == "trace" ? Trace::hidden_states : Trace::off;
        for (const auto & draw : noise) {
            if (static_cast<int>(draw.size()) != model->config().patch_values())
                fail(
                    "INVALID_REQUEST", "noise must have ", model->config().patch_values(), " values, got ", draw.size()
                );
        }
        return worker_->run(env, [=] {
            std::vector<const float *> draws;
            for (const auto & draw : noise) draws.push_back(draw.data());
            auto results = model->step(sessions, draws, trace);
            return Worker::Finish([results = std::move(results), trace](Napi::Env env) -> Napi::Value {
                Napi::Array array = Napi::Array::New(env, results.size());
                for (size_t i = 0; i < results.size(); i++) {
                    Napi::Object object = Napi::Object::New(env);
                    object.Set("patch", from_floats(env, results[i].patch));
                    object.Set("stopLogits", from_floats(env, results[i].stop_logits));
                    if (!results[i].failure.empty()) object.Set("failure", results[i].failure);
                    if (!results[i].attention.empty()) object.Set("attention", from_floats(env, results[i].attention));
                    if (trace == Trace::hidden_states) {
                        object.Set("lmHidden", from_floats(env, results[i].lm_hidden));
                        object.Set("residualHidden", from_floats(env, results[i].residual_hidden));
                    }
                    array.Set(static_cast<uint32_t>(i), object);
                }
                return array;
            });
        });
    });
}

Napi::Value ModelObject::decode(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const Handle model = handle(env);
        const std::vector<int> sessions = to_sessions(info[0]);
        auto patches = to_batch(info[1], "patches", sessions.size());
        return worker_->run_beside(env, [model, sessions, patches = std::move(patches)] {
            const std::shared_ptr<PendingSamples> pending = model->decode(sessions, patches);
            return Worker::Rest{pending->ready(), [pending] {
                                    return Worker::Finish([samples = pending->take()](Napi::Env env) -> Napi::Value {
                                        Napi::Array array = Napi::Array::New(env, samples.size());
                                        for (size_t i = 0; i < samples.size(); i++)
                                            array.Set(static_cast<uint32_t>(i), from_floats(env, samples[i]));
                                        return array;
                                    });
                                }};
        });
    });
}

Napi::Value ModelObject::close_session(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const Handle model = handle(env);
        const int session = to_handle(info[0], "session");
        return worker_->run(env, [=] {
            model->close(session);
            return nothing();
        });
    });
}

Napi::Value ModelObject::probe(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const Handle model = handle(env);
        const std::string stage = to_text(info[0], "stage");
        Arrays inputs = to_arrays(info[1], "inputs");
        const Parameters parameters = to_numbers(info[2], "parameters");
        return worker_->run(env, [model, stage, inputs = std::move(inputs), parameters] {
            auto results = model->probe(stage, inputs, parameters);
            return Worker::Finish([results = std::move(results)](Napi::Env env) -> Napi::Value {
                return from_arrays(env, results);
            });
        });
    });
}

Napi::Value ModelObject::close(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        if (!model_) {
            const auto done = Napi::Promise::Deferred::New(env);
            done.Resolve(env.Undefined());
            return done.Promise();
        }
        // the current task finishes first; then the worker frees the memory
        auto model = std::make_shared<Handle>(std::move(model_));
        model_.reset();
        return worker_->run(env, [model] {
            model->reset();
            return_freed_memory();
            return nothing();
        });
    });
}

} // namespace svc
