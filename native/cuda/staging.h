// Small inputs of a recording in one piece of memory, which one copy fills.
#pragma once
#include <vector>

#include "cuda/device.h"

namespace svc::cuda {

template <typename Value>
struct Staged {
    Value * host = nullptr;
    Value * device = nullptr;
};

class Staging {
public:
    explicit Staging(Arena & arena) : arena_(arena) {}
    // Before place(): a field of `count` values, which place() fills in.
    template <typename Value>
    void add(Staged<Value> & field, size_t count) {
        const size_t offset = bytes_;
        bytes_ += (count * sizeof(Value) + 15) / 16 * 16;
        fields_.push_back([&field, offset](char * host, char * device) {
            field = {reinterpret_cast<Value *>(host + offset), reinterpret_cast<Value *>(device + offset)};
        });
    }
    void place() {
        host_ = arena_.host<char>(bytes_);
        device_ = arena_.array<char>(bytes_);
        for (const auto & field : fields_) field(host_, device_);
    }
    void upload(Queue & queue) const { queue.upload(device_, host_, bytes_); }

private:
    Arena & arena_;
    size_t bytes_ = 0;
    std::vector<std::function<void(char *, char *)>> fields_;
    char *host_ = nullptr, *device_ = nullptr;
};

} // namespace svc::cuda
