// Work off the JavaScript thread: one worker thread per model, one promise per task, one mapping of exceptions.
#pragma once
#include <napi.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "runtime/error.h"

namespace svc {

// A native exception as a JavaScript Error with a `code`.
Napi::Error to_js_error(Napi::Env env, const std::exception & exception);

// Runs `body` and converts native exceptions to JavaScript ones.
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

// Runs the tasks of one owner in order on a dedicated thread. Lives until the promise of its last task is settled or
// its environment (the process or a Node worker thread) ends. Then the running task completes; pending ones are dropped
// and their promises never settle.
class Worker : public std::enable_shared_from_this<Worker> {
public:
    // Fails with OUT_OF_MEMORY when the system refuses the thread.
    static std::shared_ptr<Worker> create(Napi::Env env);
    // Stops the threads of an environment on the process's `exit` event. Call once per environment. process.exit() and
    // uncaught exceptions run no cleanup hooks, and a thread that kept computing would use destroyed ggml globals.
    static void halt_on_exit(Napi::Env env);
    ~Worker();

    // `compute` runs on the worker and may throw; the function it returns builds the JavaScript result on the main
    // thread. Neither may hold JavaScript values (copy them before) or keep this worker alive.
    using Finish = std::function<Napi::Value(Napi::Env)>;
    using Compute = std::function<Finish()>;
    Napi::Promise run(Napi::Env env, Compute compute);
    // Set when the thread should stop; tasks that take seconds check it.
    const std::atomic<bool> & stopping() const { return stopping_; }

private:
    explicit Worker(Napi::Env env);
    struct Task;
    void loop();
    // Settles the promises of completed tasks. Runs on the main thread; `env` is null when the environment is gone.
    static void answer(Napi::Env env, Napi::Function, Worker * worker, void *);
    using Signal = Napi::TypedThreadSafeFunction<Worker, void, &Worker::answer>;
    // Stops the thread. Idempotent.
    void halt();
    // Calls halt() and drops pending tasks.
    void stop();

    // The environment frees its thread-safe functions when it ends, even if they are in use. The thread must be stopped
    // before that, by a hook added after the function: hooks run in reverse order.
    using Hook = Napi::Env::CleanupHook<void (*)(Worker *), Worker>;
    napi_env env_;
    Hook hook_;
    Signal signal_;
    std::thread thread_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::unique_ptr<Task>> tasks_, computed_;
    std::atomic<bool> stopping_{false};
    // main thread only:
    bool ended_ = false;
    int pending_ = 0;                 // unsettled tasks
    std::shared_ptr<Worker> working_; // keeps this object alive while there are any
};

} // namespace svc
