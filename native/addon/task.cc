#include "addon/task.h"

#include <new>

namespace svc {

struct Worker::Task {
    Task(Napi::Env env, Compute body, std::shared_ptr<Worker> keep) : promise(Napi::Promise::Deferred::New(env)), compute(std::move(body)), owner(std::move(keep)) {}
    Napi::Promise::Deferred promise;
    Compute compute;
    Finish finish;
    std::exception_ptr failure;
    // keeps the worker, and through `compute` the model, alive until the answer is given
    std::shared_ptr<Worker> owner;
};

Napi::Error to_js_error(Napi::Env env, const std::exception & exception) {
    const char * code = "INTERNAL";
    if (const auto * known = dynamic_cast<const Error *>(&exception)) code = known->code().c_str();
    else if (dynamic_cast<const std::bad_alloc *>(&exception)) code = "OUT_OF_MEMORY";
    Napi::Error error = Napi::Error::New(env, exception.what());
    error.Set("code", Napi::String::New(env, code));
    return error;
}

std::shared_ptr<Worker> Worker::create(Napi::Env env) {
    return std::shared_ptr<Worker>(new Worker(env));
}

Worker::Worker(Napi::Env env) : env_(env), callback_(Napi::ThreadSafeFunction::New(env, Napi::Function(), "svc", 0, 1)) {
    // an idle model doesn't keep the process alive
    callback_.Unref(env);
    hook_ = env.AddCleanupHook(+[](Worker * worker) { worker->stop(); }, this);
    thread_ = std::thread([this] { loop(); });
}

void Worker::stop() {
    if (ended_) return;
    ended_ = true;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
    callback_.Release();
}

Worker::~Worker() {
    if (ended_) return;
    hook_.Remove(env_);
    stop();
}

Napi::Promise Worker::run(Napi::Env env, Compute compute) {
    auto task = std::make_unique<Task>(env, std::move(compute), shared_from_this());
    const Napi::Promise promise = task->promise.Promise();
    if (pending_++ == 0) callback_.Ref(env);
    {
        std::lock_guard<std::mutex> lock(mutex_);
        tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
    return promise;
}

void Worker::loop() {
    for (;;) {
        std::unique_ptr<Task> task;
        {
            std::unique_lock<std::mutex> lock(mutex_);
            wake_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
            if (stopping_) return;
            task = std::move(tasks_.front());
            tasks_.pop_front();
        }
        try {
            task->finish = task->compute();
        } catch (...) {
            task->failure = std::current_exception();
        }
        // a task that can't be answered any more holds JavaScript references, which only the main thread may free
        callback_.BlockingCall(task.release(), [](Napi::Env env, Napi::Function, Task * answered) {
            const std::unique_ptr<Task> done(answered);
            // the environment is gone when the process is ending
            if (env == nullptr) return;
            const Napi::HandleScope scope(env);
            try {
                if (done->failure) std::rethrow_exception(done->failure);
                done->promise.Resolve(done->finish(env));
            } catch (const Napi::Error & error) {
                done->promise.Reject(error.Value());
            } catch (const std::exception & exception) {
                done->promise.Reject(to_js_error(env, exception).Value());
            }
            if (--done->owner->pending_ == 0) done->owner->callback_.Unref(env);
        });
    }
}

} // namespace svc
