// Tries every kernel of products and of attention on a device, and compares with plain loops.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cuda/device.h"

namespace svc::cuda {

// One for each format of weights and columns, again by warpgroups if it has them; and one for each width of heads and format of
// columns.
std::vector<std::string> product_checks(const Limits & limits);
std::vector<std::string> attention_checks();
// Fail with BACKEND_UNAVAILABLE if a result is wrong or warpgroups are slow, and with the errors of the device.
void check_products(Device & device, Queue & queue, int index);
void check_attention(Device & device, Queue & queue, int index);

class CardCheck {
public:
    explicit CardCheck(std::unique_ptr<Device> device)
        : device_(std::move(device)), queue_(device_->make_queue()), names_(product_checks(device_->limits())),
          products_(static_cast<int>(names_.size())) {
        for (const std::string & name : attention_checks()) names_.push_back(name);
    }
    const std::vector<std::string> & names() const { return names_; }
    void run(int index) {
        if (index < products_) check_products(*device_, *queue_, index);
        else check_attention(*device_, *queue_, index - products_);
    }

private:
    std::unique_ptr<Device> device_;
    std::unique_ptr<Queue> queue_;
    std::vector<std::string> names_;
    const int products_;
};

} // namespace svc::cuda
