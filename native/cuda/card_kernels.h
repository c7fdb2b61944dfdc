// The kernels on a card, each a module of its own that the driver compiles when it is first used: all of them take seconds.
#pragma once
#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "cuda/card_context.h"

namespace svc::cuda {

class CardKernels {
public:
    // `texts`: PTX of all kernels. `shared_bytes`: of a block, at most.
    CardKernels(CardContext & card, const std::vector<std::string> & texts, int shared_bytes);
    ~CardKernels();

    // Not while work is captured. Fails with DEVICE_LOST where the driver can't compile it.
    Function at(const std::string & name);
    // So far, of the driver.
    double milliseconds() const { return milliseconds_; }

private:
    struct Loaded {
        Module module = nullptr;
        Function function = nullptr;
    };
    Module load(const std::string & text);

    CardContext & card_;
    const int shared_bytes_;
    std::string text_without_kernels_;         // for names that no text has, so that the driver says so
    std::map<std::string, std::string> texts_; // of each kernel, with what its module begins with
    std::map<std::string, Loaded> loaded_;
    std::atomic<double> milliseconds_{0};
};

} // namespace svc::cuda
