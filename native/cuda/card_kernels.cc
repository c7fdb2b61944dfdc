#include "cuda/card_kernels.h"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace svc::cuda {
namespace {

// Errors of a text that a driver can't compile; others are faults of the card.
constexpr Status compile_errors[] = {200, 209, 218, 221, 222, 223, 300};

} // namespace

CardKernels::CardKernels(CardContext & card, const std::vector<std::string> & texts, int shared_bytes)
    : card_(card), shared_bytes_(shared_bytes) {
    const std::string start = "\n.visible .entry ";
    for (const std::string & text : texts) {
        size_t at = text.find(start);
        const std::string head = text.substr(0, at);
        if (text_without_kernels_.empty()) text_without_kernels_ = head;
        while (at != std::string::npos) {
            const size_t name = at + start.size(), next = text.find(start, name);
            texts_[text.substr(name, text.find('(', name) - name)] = head + text.substr(at, next - at);
            at = next;
        }
    }
}

CardKernels::~CardKernels() {
    for (const auto & [name, loaded] : loaded_) {
        if (loaded.module) card_.api.module_unload(loaded.module);
    }
}

Function CardKernels::at(const std::string & name) {
    Loaded & found = loaded_[name];
    if (found.function) return found.function;
    if (!found.module) found.module = load(texts_.try_emplace(name, text_without_kernels_).first->second);
    Function function = nullptr;
    card_.check(card_.api.module_function(&function, found.module, name.c_str()), name.c_str());
    card_.check(card_.api.function_set(function, most_dynamic_shared_bytes, shared_bytes_), "cuFuncSetAttribute");
    return found.function = function;
}

Module CardKernels::load(const std::string & text) {
    const auto began = std::chrono::steady_clock::now();
    std::vector<char> log(8192);
    int names[] = {jit_error_log, jit_error_log_bytes};
    void * values[] = {log.data(), reinterpret_cast<void *>(log.size())};
    Module module = nullptr;
    const Status status = card_.api.module_load(&module, text.c_str(), 2, names, values);
    if (std::find(std::begin(compile_errors), std::end(compile_errors), status) != std::end(compile_errors))
        card_.lose("the NVIDIA driver cannot compile the kernels: ", name_of(status), " ", log.data());
    card_.check(status, "cuModuleLoadDataEx");
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    milliseconds_ = milliseconds_ + took.count();
    return module;
}

} // namespace svc::cuda
