// The context of a card: current on the thread that uses it, and lost for good after a fault.
#pragma once
#include <atomic>
#include <string>

#include "cuda/driver.h"
#include "cuda/driver_device.h"
#include "runtime/error.h"

namespace svc::cuda {

inline std::string name_of(Status status) {
    const char * name = nullptr;
    driver().error_name(status, &name);
    return name ? name : "error " + std::to_string(status);
}

class CardContext {
public:
    explicit CardContext(const Card & card) : api(driver()) {
        require(api.device_get(&index_, card.ordinal));
        // a waiting thread leaves its core to others; fails harmlessly where another library uses the card
        api.primary_flags(index_, wait_without_spinning);
        require(api.primary_retain(&context_, index_));
        enter();
    }
    ~CardContext() { api.primary_release(index_); }
    CardContext(const CardContext &) = delete;
    CardContext & operator=(const CardContext &) = delete;

    void enter() {
        if (lost_) fail("DEVICE_LOST", "the GPU was lost");
        api.set_current(context_);
    }
    void check(Status status, const char * what) {
        if (status == 0) return;
        if (status == out_of_memory) {
            size_t free = 0, total = 0;
            api.memory_info(&free, &total);
            fail("OUT_OF_MEMORY", "the GPU has not enough memory (", free >> 20, " of ", total >> 20, " MiB free)");
        }
        lose("the GPU was lost: ", what, " failed with ", name_of(status));
    }
    // Fails with DEVICE_LOST, now and from now on.
    template <typename... Problem>
    [[noreturn]] void lose(const Problem &... problem) {
        lost_ = true;
        fail("DEVICE_LOST", problem...);
    }
    DeviceIndex index() const { return index_; }

    const Driver & api;

private:
    static void require(Status status) {
        if (status == out_of_memory) fail("OUT_OF_MEMORY", "the GPU has not enough memory for another process");
        if (status != 0) fail("BACKEND_UNAVAILABLE", "the NVIDIA driver cannot open the GPU: ", name_of(status));
    }
    DeviceIndex index_ = 0;
    Context context_ = nullptr;
    std::atomic<bool> lost_{false};
};

} // namespace svc::cuda
