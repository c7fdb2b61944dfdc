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

// Runs the tasks of one owner in order on a dedicated thread, and waits for devices on a second one. Lives until the promise
// of its last task is settled or its environment (the process or a Node worker thread) ends. Then the running task completes;
// pending ones are dropped and their promises never settle.
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
    // The end of a task that a device still computes: waits for it and returns as `compute` does. May run while the worker goes
    // on with the next task, unless it is ready at once.
    struct Rest {
        bool ready;
        Compute wait;
    };
    // The same for a task whose end is waited for.
    Napi::Promise run_beside(Napi::Env env, std::function<Rest()> start);
    // Set when the thread should stop; tasks that take seconds check it.
    const std::atomic<bool> & stopping() const { return stopping_; }

private:
    explicit Worker(Napi::Env env);
    struct Task;
    using Tasks = std::deque<std::unique_ptr<Task>>;
    Napi::Promise add(Napi::Env env, std::unique_ptr<Task> task);
    void loop();
    // The loop of the thread that waits.
    void wait_loop();
    // The next of the tasks, once there is one; null when the threads should stop.
    std::unique_ptr<Task> next_of(Tasks & tasks);
    // Starts a task; returns it if another thread must wait for its end.
    std::unique_ptr<Task> start(std::unique_ptr<Task> task);
    // Starts the thread that waits, once; false where the system refuses it: the next task comes later then.
    bool has_waiter();
    // Computes what is left of a task.
    void complete(std::unique_ptr<Task> task);
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
    std::thread waiter_; // started by the first task that needs it
    std::mutex mutex_;
    std::condition_variable wake_;
    Tasks tasks_, waiting_, computed_;
    std::atomic<bool> stopping_{false};
    // main thread only:
    bool ended_ = false;
    int pending_ = 0;                 // unsettled tasks
    std::shared_ptr<Worker> working_; // keeps this object alive while there are any
};

} // namespace svc
