// An engine whose device is lost when a test says so, and which decodes beside steps, as drivers of GPUs do. Computes with the
// reference executor.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "addon/engines.h"
#include "addon/extension.h"
#include "addon/task.h"
#include "addon/values.h"
#include "probe/reference/reference_executor.h"

namespace svc {
namespace {

const Device faulty_device{
    .engine = "faulty", .name = "Faulty0", .description = "a device of tests", .type = Device::Type::gpu
};

std::atomic<bool> listed = false;
// Steps of all models until one meets the fault; none if negative.
std::atomic<int> steps_before_loss = -1;

// Samples that are not there before the next step has begun.
class BesideNextStep : public Decoding {
public:
    struct Steps {
        std::mutex mutex;
        std::condition_variable began;
        int count = 0;
    };
    BesideNextStep(std::shared_ptr<Steps> steps, std::unique_ptr<Decoding> samples)
        : steps_(std::move(steps)), samples_(std::move(samples)) {
        const std::lock_guard lock(steps_->mutex);
        before_ = steps_->count;
    }
    std::vector<std::vector<float>> wait() override {
        std::unique_lock lock(steps_->mutex);
        // a step that comes only afterwards would never come
        constexpr auto patience = std::chrono::seconds(20);
        if (!steps_->began.wait_for(lock, patience, [&] { return steps_->count > before_; }))
            fail("INTERNAL", "samples were waited for before the next step");
        return samples_->wait();
    }

private:
    std::shared_ptr<Steps> steps_;
    std::unique_ptr<Decoding> samples_;
    int before_;
};
// Of models that are opened from now on.
std::atomic<bool> new_models_decode_beside = false;

class FaultyExecutor : public reference::ReferenceExecutor {
public:
    using ReferenceExecutor::ReferenceExecutor;
    std::string engine() const override { return faulty_device.engine; }
    std::string device() const override { return faulty_device.name; }
    std::string kernels() const override { return ""; }
    bool decodes_beside() const override { return beside_; }

    std::unique_ptr<SessionMemory> open(int positions, std::span<const float> patch) override {
        require_device();
        return ReferenceExecutor::open(positions, patch);
    }
    void prefill(SessionMemory & memory, const Chunk & chunk) override {
        require_device();
        ReferenceExecutor::prefill(memory, chunk);
    }
    void step(std::span<const StepJob> jobs, int timesteps, Trace trace) override {
        if (steps_before_loss >= 0 && steps_before_loss-- == 0) lost_ = true;
        require_device();
        {
            const std::lock_guard lock(steps_->mutex);
            steps_->count++;
        }
        steps_->began.notify_all();
        ReferenceExecutor::step(jobs, timesteps, trace);
    }
    std::unique_ptr<Decoding> decode(std::span<const DecodeJob> jobs) override {
        require_device();
        std::unique_ptr<Decoding> samples = ReferenceExecutor::decode(jobs);
        if (!beside_) return samples;
        return std::make_unique<BesideNextStep>(steps_, std::move(samples));
    }

private:
    void require_device() const {
        if (lost_)
            fail(
                "DEVICE_LOST", "the device ", faulty_device.name, " is lost (as the test wants); open the model again"
            );
    }
    const bool beside_ = new_models_decode_beside;
    bool lost_ = false;
    std::shared_ptr<BesideNextStep::Steps> steps_ = std::make_shared<BesideNextStep::Steps>();
};

const Engine faulty_engine = {
    "faulty",
    [] { return listed ? std::vector<Device>{faulty_device} : std::vector<Device>(); },
    [](const GgufFile & file, const Config & config, const ExecutorOptions &) -> std::unique_ptr<Executor> {
        return std::make_unique<FaultyExecutor>(file, config);
    },
};
[[maybe_unused]] const bool added = (add_engine(faulty_engine), true);

// faultyDevice(listed, stepsBeforeLoss, decodesBeside)
Napi::Value set_faulty_device(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&]() -> Napi::Value {
        listed = info[0].ToBoolean();
        steps_before_loss = to_integer(info[1], "steps", -1, 1000);
        new_models_decode_beside = info[2].ToBoolean();
        return info.Env().Undefined();
    });
}

const Extension faulty_extension([](Napi::Env env, Napi::Object exports) {
    exports.Set("faultyDevice", Napi::Function::New(env, set_faulty_device, "faultyDevice"));
});

} // namespace
} // namespace svc
