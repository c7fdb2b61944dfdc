#include "addon/task.h"

#include <new>
#include <set>
#include <system_error>

#include "runtime/threads.h"

namespace svc {
namespace {

// The workers of all environments. Never destroyed: the process may end while one is computing.
struct Registry {
    std::mutex mutex;
    std::set<Worker *> workers;
};
Registry & registry() {
    static auto & instance = *new Registry();
    return instance;
}

} // namespace

struct Worker::Task {
    Napi::Promise::Deferred promise;
    std::function<Rest()> start; // null, or what comes before `compute`
    Compute compute;
    Finish finish = nullptr;
    std::exception_ptr failure = nullptr;

    // No exception may escape: every call fails in an environment that is being terminated.
    void settle(Napi::Env env) noexcept {
        try {
            const Napi::HandleScope scope(env);
            try {
                if (failure) std::rethrow_exception(failure);
                promise.Resolve(finish(env));
            } catch (const Napi::Error & error) {
                promise.Reject(error.Value());
            } catch (const std::exception & exception) {
                promise.Reject(to_js_error(env, exception).Value());
            }
        } catch (...) {
        }
    }
};

Napi::Error to_js_error(Napi::Env env, const std::exception & exception) {
    const char *code = "INTERNAL", *message = exception.what();
    if (const auto * known = dynamic_cast<const Error *>(&exception)) {
        code = known->code().c_str();
    } else if (
        dynamic_cast<const std::bad_alloc *>(&exception) || dynamic_cast<const std::length_error *>(&exception)
    ) {
        code = "OUT_OF_MEMORY";
        message = "not enough memory";
    }
    Napi::Error error = Napi::Error::New(env, message);
    error.Set("code", Napi::String::New(env, code));
    return error;
}

std::shared_ptr<Worker> Worker::create(Napi::Env env) {
    const std::shared_ptr<Worker> worker(new Worker(env));
    const std::lock_guard<std::mutex> lock(registry().mutex);
    registry().workers.insert(worker.get());
    return worker;
}

Worker::Worker(Napi::Env env) : env_(env), signal_(Signal::New(env, "svc", 0, 1, this)) {
    // an idle model doesn't keep the process alive
    signal_.Unref(env);
    try {
        thread_ = std::thread([this] { loop(); });
    } catch (const std::exception &) {
        signal_.Abort();
        fail_to_start(1);
    }
    hook_ = env.AddCleanupHook(+[](Worker * worker) { worker->stop(); }, this);
}

void Worker::halt_on_exit(Napi::Env env) {
    const auto halt = [](const Napi::CallbackInfo & info) {
        const std::lock_guard<std::mutex> lock(registry().mutex);
        for (Worker * worker : registry().workers) {
            if (worker->env_ == static_cast<napi_env>(info.Env())) worker->halt();
        }
    };
    const auto process = env.Global().Get("process").As<Napi::Object>();
    process.Get("prependListener")
        .As<Napi::Function>()
        .Call(process, {Napi::String::New(env, "exit"), Napi::Function::New(env, halt)});
}

void Worker::halt() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    // the first may be starting the second
    if (thread_.joinable()) thread_.join();
    if (waiter_.joinable()) waiter_.join();
}

void Worker::stop() {
    if (ended_) return;
    ended_ = true;
    halt();
    // a task may own a whole model
    tasks_.clear();
    waiting_.clear();
    computed_.clear();
    // unlike a release, this drops pending calls
    signal_.Abort();
    // released last: it may be the last reference to this object
    const std::shared_ptr<Worker> last = std::move(working_);
}

Worker::~Worker() {
    {
        const std::lock_guard<std::mutex> lock(registry().mutex);
        registry().workers.erase(this);
    }
    if (ended_) return;
    hook_.Remove(env_);
    stop();
}

Napi::Promise Worker::run(Napi::Env env, Compute compute) {
    return add(env, std::unique_ptr<Task>(new Task{Napi::Promise::Deferred::New(env), nullptr, std::move(compute)}));
}

Napi::Promise Worker::run_beside(Napi::Env env, std::function<Rest()> start) {
    return add(env, std::unique_ptr<Task>(new Task{Napi::Promise::Deferred::New(env), std::move(start), nullptr}));
}

Napi::Promise Worker::add(Napi::Env env, std::unique_ptr<Task> task) {
    const Napi::Promise promise = task->promise.Promise();
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        tasks_.push_back(std::move(task));
    }
    if (pending_++ == 0) {
        signal_.Ref(env);
        working_ = shared_from_this();
    }
    wake_.notify_all();
    return promise;
}

std::unique_ptr<Worker::Task> Worker::next_of(Tasks & tasks) {
    std::unique_lock<std::mutex> lock(mutex_);
    wake_.wait(lock, [&] { return stopping_ || !tasks.empty(); });
    if (stopping_) return nullptr;
    std::unique_ptr<Task> task = std::move(tasks.front());
    tasks.pop_front();
    return task;
}

void Worker::loop() {
    while (std::unique_ptr<Task> task = next_of(tasks_)) {
        if (task->start) task = start(std::move(task));
        if (task) complete(std::move(task));
    }
}

void Worker::wait_loop() {
    while (std::unique_ptr<Task> task = next_of(waiting_)) complete(std::move(task));
}

std::unique_ptr<Worker::Task> Worker::start(std::unique_ptr<Task> task) {
    bool ready = true;
    try {
        Rest rest = task->start();
        ready = rest.ready;
        task->compute = std::move(rest.wait);
    } catch (...) {
        task->failure = std::current_exception();
    }
    task->start = nullptr;
    if (ready || task->failure || !has_waiter()) return task;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        waiting_.push_back(std::move(task));
    }
    wake_.notify_all();
    return nullptr;
}

bool Worker::has_waiter() {
    if (waiter_.joinable()) return true;
    try {
        waiter_ = std::thread([this] { wait_loop(); });
        return true;
    } catch (const std::system_error &) {
        return false;
    }
}

void Worker::complete(std::unique_ptr<Task> task) {
    try {
        if (!task->failure) task->finish = task->compute();
    } catch (...) {
        task->failure = std::current_exception();
    }
    task->compute = nullptr;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        computed_.push_back(std::move(task));
    }
    signal_.NonBlockingCall();
}

void Worker::answer(Napi::Env env, Napi::Function, Worker * worker, void *) {
    if (env == nullptr) return;
    std::deque<std::unique_ptr<Task>> computed;
    {
        const std::lock_guard<std::mutex> lock(worker->mutex_);
        computed.swap(worker->computed_);
    }
    for (const std::unique_ptr<Task> & task : computed) task->settle(env);
    worker->pending_ -= static_cast<int>(computed.size());
    if (worker->pending_ > 0) return;
    // may be the last reference to the worker
    const std::shared_ptr<Worker> last = std::move(worker->working_);
    try {
        worker->signal_.Unref(env);
    } catch (const Napi::Error &) {
        // the environment is being terminated, as above
    }
}

} // namespace svc
