#include "addon/model_object.h"

#include "addon/values.h"

namespace svc {
namespace {

struct EnvironmentData {
    Napi::FunctionReference model_constructor;
};

// What a new ModelObject takes over from the worker that loaded it.
struct Loaded {
    std::shared_ptr<Model> model;
    std::shared_ptr<Worker> worker;
};

// A flag in the caller's memory, kept alive while a task reads it.
struct CancelFlag {
    explicit CancelFlag(const Napi::Value & value) {
        if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_int32_array || value.As<Napi::TypedArray>().ElementLength() < 1) {
            fail("INVALID_REQUEST", "expected an Int32Array for cancel, received another value");
        }
        keep = Napi::Persistent(value.As<Napi::Object>());
        flag = reinterpret_cast<const std::atomic<int> *>(value.As<Napi::Int32Array>().Data());
    }
    Napi::ObjectReference keep;
    const std::atomic<int> * flag;
};
static_assert(sizeof(std::atomic<int>) == sizeof(int32_t));

std::vector<int> to_sessions(const Napi::Value & value) {
    if (!value.IsArray()) fail("INVALID_REQUEST", "expected an array for sessions, received another value");
    const auto array = value.As<Napi::Array>();
    std::vector<int> sessions;
    for (uint32_t i = 0; i < array.Length(); i++) sessions.push_back(static_cast<int>(to_number(array.Get(i), "session")));
    if (sessions.empty()) fail("INVALID_REQUEST", "expected at least one session, received none");
    return sessions;
}

std::vector<std::vector<float>> to_batch(const Napi::Value & value, const char * name, size_t count) {
    if (!value.IsArray() || value.As<Napi::Array>().Length() != count) fail("INVALID_REQUEST", "expected one entry a session for ", name, ", received another number");
    std::vector<std::vector<float>> batch;
    for (uint32_t i = 0; i < count; i++) batch.push_back(to_floats(value.As<Napi::Array>().Get(i), name));
    return batch;
}

Worker::Finish nothing() {
    return [](Napi::Env env) { return env.Undefined(); };
}

} // namespace

void ModelObject::define(Napi::Env env) {
    const Napi::Function constructor = DefineClass(env, "NativeModel", {
        InstanceAccessor<&ModelObject::info>("info"),
        InstanceMethod<&ModelObject::metadata>("metadata"),
        InstanceMethod<&ModelObject::stage_times>("stageTimes"),
        InstanceMethod<&ModelObject::encode>("encode"),
        InstanceMethod<&ModelObject::open>("open"),
        InstanceMethod<&ModelObject::step>("step"),
        InstanceMethod<&ModelObject::decode>("decode"),
        InstanceMethod<&ModelObject::close_session>("closeSession"),
        InstanceMethod<&ModelObject::probe>("probe"),
        InstanceMethod<&ModelObject::close>("close"),
    });
    auto * data = new EnvironmentData();
    data->model_constructor = Napi::Persistent(constructor);
    env.SetInstanceData(data);
}

Napi::Value ModelObject::open_model(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const std::string path = to_text(info[0], "path"), device = to_text(info[1], "device");
        const int threads = static_cast<int>(to_number(info[2], "threads"));
        const std::string kernels = to_text(info[3], "kernels");
        if (threads < 1 || threads > 512) fail("INVALID_REQUEST", "expected 1 to 512 threads, received ", threads);
        const std::shared_ptr<Worker> worker = Worker::create(env);
        return worker->run(env, [=] {
            auto model = std::make_shared<Model>(path, device, threads, kernels);
            return Worker::Finish([=](Napi::Env env) -> Napi::Value {
                Loaded loaded{model, worker};
                return env.GetInstanceData<EnvironmentData>()->model_constructor.New({Napi::External<Loaded>::New(env, &loaded)});
            });
        });
    });
}

ModelObject::ModelObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<ModelObject>(info) {
    if (!info[0].IsExternal()) throw to_js_error(info.Env(), Error("INVALID_REQUEST", "expected openModel to make this object, received a call of its constructor"));
    const Loaded & loaded = *info[0].As<Napi::External<Loaded>>().Data();
    model_ = loaded.model;
    worker_ = loaded.worker;
}

const ModelObject::Handle & ModelObject::handle(Napi::Env env) const {
    if (!model_) throw to_js_error(env, Error("INVALID_REQUEST", "expected an open model, received one that is closed"));
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
    object.Set("maxLength", config.max_length);
    object.Set("weightType", model->weight_type());
    object.Set("device", model->device());
    object.Set("kernels", model->kernels());
    return object;
}

Napi::Value ModelObject::metadata(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&] { return from_metadata(env, handle(env)->file().metadata(), to_text(info[0], "key")); });
}

Napi::Value ModelObject::stage_times(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    const Handle & model = handle(env);
    const StageClock * clock = model->clock();
    if (!clock) return env.Undefined();
    Napi::Object object = Napi::Object::New(env);
    object.Set("languageModels", clock->milliseconds(Stage::language_models));
    object.Set("localEncoder", clock->milliseconds(Stage::local_encoder));
    object.Set("flow", clock->milliseconds(Stage::flow));
    return object;
}

Napi::Value ModelObject::encode(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const Handle model = handle(env);
        auto samples = to_floats(info[0], "samples");
        return worker_->run(env, [model, samples = std::move(samples)] {
            const std::atomic<int> never{0};
            auto latents = model->encode(samples, never);
            return Worker::Finish([latents = std::move(latents)](Napi::Env env) -> Napi::Value { return from_floats(env, latents); });
        });
    });
}

Napi::Value ModelObject::open(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const Handle model = handle(env);
        Prefix prefix;
        prefix.tokens = to_integers(info[0], "tokens");
        if (!info[1].IsTypedArray() || info[1].As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array) fail("INVALID_REQUEST", "expected a Uint8Array for the audio mask, received another value");
        const auto mask = info[1].As<Napi::Uint8Array>();
        prefix.audio.assign(mask.Data(), mask.Data() + mask.ElementLength());
        prefix.features = to_floats(info[2], "features");
        const float cfg = static_cast<float>(to_number(info[3], "cfg"));
        const int timesteps = static_cast<int>(to_number(info[4], "timesteps"));
        const auto cancel = std::make_shared<CancelFlag>(info[5]);
        return worker_->run(env, [=] {
            const int session = model->open(prefix, cfg, timesteps, *cancel->flag);
            // `cancel` is captured so that its reference is dropped on the main thread
            return Worker::Finish([session, cancel](Napi::Env env) -> Napi::Value { return Napi::Number::New(env, session); });
        });
    });
}

Napi::Value ModelObject::step(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const Handle model = handle(env);
        const std::vector<int> sessions = to_sessions(info[0]);
        const auto noise = to_batch(info[1], "noise", sessions.size());
        const bool trace = to_text(info[2], "trace") == "trace";
        for (const auto & draw : noise) {
            if (static_cast<int>(draw.size()) != model->config().patch_values()) fail("INVALID_REQUEST", "expected ", model->config().patch_values(), " values for noise, received ", draw.size());
        }
        return worker_->run(env, [=] {
            std::vector<const float *> draws;
            for (const auto & draw : noise) draws.push_back(draw.data());
            auto results = model->step(sessions, draws);
            return Worker::Finish([results = std::move(results), trace](Napi::Env env) -> Napi::Value {
                Napi::Array array = Napi::Array::New(env, results.size());
                for (size_t i = 0; i < results.size(); i++) {
                    Napi::Object object = Napi::Object::New(env);
                    object.Set("patch", from_floats(env, results[i].patch));
                    object.Set("stopLogits", from_floats(env, results[i].stop_logits));
                    if (trace) {
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
        return worker_->run(env, [model, sessions, patches = std::move(patches)] {
            std::vector<std::vector<float>> samples = model->decode(sessions, patches);
            return Worker::Finish([samples = std::move(samples)](Napi::Env env) -> Napi::Value {
                Napi::Array array = Napi::Array::New(env, samples.size());
                for (size_t i = 0; i < samples.size(); i++) array.Set(static_cast<uint32_t>(i), from_floats(env, samples[i]));
                return array;
            });
        });
    });
}

Napi::Value ModelObject::close_session(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const Handle model = handle(env);
        const int session = static_cast<int>(to_number(info[0], "session"));
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
        Arrays inputs = to_arrays(info[1]);
        std::map<std::string, double> parameters;
        const auto object = info[2].As<Napi::Object>();
        const Napi::Array names = object.GetPropertyNames();
        for (uint32_t i = 0; i < names.Length(); i++) {
            const std::string name = names.Get(i).As<Napi::String>().Utf8Value();
            parameters[name] = to_number(object.Get(name), name.c_str());
        }
        return worker_->run(env, [model, stage, inputs = std::move(inputs), parameters] {
            auto results = model->probe(stage, inputs, parameters);
            return Worker::Finish([results = std::move(results)](Napi::Env env) -> Napi::Value { return from_arrays(env, results); });
        });
    });
}

Napi::Value ModelObject::close(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    if (!model_) {
        const auto done = Napi::Promise::Deferred::New(env);
        done.Resolve(env.Undefined());
        return done.Promise();
    }
    // what is under way ends first; then the memory is freed on the worker
    auto model = std::make_shared<Handle>(std::move(model_));
    model_.reset();
    return worker_->run(env, [model] {
        model->reset();
        return nothing();
    });
}

} // namespace svc
