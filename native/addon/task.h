// Work off the JavaScript thread: one worker thread a model, a promise a task, exceptions mapped in one place.
#pragma once
#include <napi.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "runtime/error.h"

namespace svc {

// What stands in the way of a result, as a JavaScript Error with a `code`.
Napi::Error to_js_error(Napi::Env env, const std::exception & exception);

// Runs `body`, turning exceptions of the native side into JavaScript ones.
template <typename Body>
auto guarded(Napi::Env env, Body body) -> decltype(body()) {
    try {
        return body();
    } catch (const Napi::Error &) {
        throw;
    } catch (const std::exception & exception) {
        throw to_js_error(env, exception);
    }
}

// Tasks of one owner, in order, on a thread of their own. Lives until its last task has been answered.
class Worker : public std::enable_shared_from_this<Worker> {
public:
    static std::shared_ptr<Worker> create(Napi::Env env);
    ~Worker();

    // `compute` runs on the worker and may throw; what it returns builds the JavaScript value back on the main
    // thread. Captured JavaScript values must be copied before.
    using Finish = std::function<Napi::Value(Napi::Env)>;
    using Compute = std::function<Finish()>;
    Napi::Promise run(Napi::Env env, Compute compute);

private:
    explicit Worker(Napi::Env env);
    struct Task;
    void loop();
    // Ends the thread after the task under way; tasks that wait are dropped. Main thread only.
    void stop();

    // The environment frees its thread-safe functions when it ends, whoever still holds one: the thread has to be
    // stopped before, by a hook of its own.
    using Hook = Napi::Env::CleanupHook<void (*)(Worker *), Worker>;
    napi_env env_;
    Hook hook_;
    Napi::ThreadSafeFunction callback_;
    std::thread thread_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::unique_ptr<Task>> tasks_;
    bool stopping_ = false;
    bool ended_ = false;
    int pending_ = 0; // tasks without an answer yet; main thread only
};

} // namespace svc
