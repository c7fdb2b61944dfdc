#include "cuda/device.h"

namespace svc::cuda {

Arena::~Arena() {
    for (void * memory : device_memory_) device_->release(memory);
    for (void * memory : host_) device_->release_host(memory);
}

void * Arena::take(size_t bytes) {
    device_memory_.push_back(device_->allocate(bytes > 0 ? bytes : 1));
    bytes_ += bytes;
    return device_memory_.back();
}

} // namespace svc::cuda
