// Work off the JavaScript thread: one worker thread a model, a promise a task, exceptions mapped in one place.
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

// Tasks of one owner, in order, on a thread of their own. Lives until its last task has been answered, or until its
// environment ends: the process, or a worker thread of Node. Then the task under way is computed to its end, and the
// others are dropped without an answer.
class Worker : public std::enable_shared_from_this<Worker> {
public:
    // Fails with OUT_OF_MEMORY when the system refuses the thread.
    static std::shared_ptr<Worker> create(Napi::Env env);
    // Ends the threads of an environment when its process says `exit`. Once an environment. process.exit() and uncaught
    // exceptions run no hooks, and a thread that goes on computing meets ggml's variables after their destruction.
    static void halt_on_exit(Napi::Env env);
    ~Worker();

    // `compute` runs on the worker and may throw; what it returns builds the JavaScript value back on the main
    // thread. Neither may hold JavaScript values, which must be copied before, nor keep this worker alive.
    using Finish = std::function<Napi::Value(Napi::Env)>;
    using Compute = std::function<Finish()>;
    Napi::Promise run(Napi::Env env, Compute compute);
    // Whether the thread is to end: for tasks that take seconds.
    const std::atomic<bool> & stopping() const { return stopping_; }

private:
    explicit Worker(Napi::Env env);
    struct Task;
    void loop();
    // Settles the promises of what was computed. On the main thread; `env` is null when the environment is gone.
    static void answer(Napi::Env env, Napi::Function, Worker * worker, void *);
    using Signal = Napi::TypedThreadSafeFunction<Worker, void, &Worker::answer>;
    // Ends the thread. May be called again.
    void halt();
    // halt() and let go of everything that waits.
    void stop();

    // The environment frees its thread-safe functions when it ends, whoever still calls one: the thread has to be
    // stopped before, by a hook that is added after the function, and so runs first.
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
    int pending_ = 0;                 // tasks without an answer yet
    std::shared_ptr<Worker> working_; // itself, while there are any
};

} // namespace svc
