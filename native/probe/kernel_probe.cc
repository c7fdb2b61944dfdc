// Functions of the addon for tests of the kernels.
#include "addon/extension.h"
#include "addon/task.h"
#include "addon/values.h"
#include "cpu-kernels/kernels.h"
#include "cpu-kernels/processor.h"

namespace svc {

#if defined(__x86_64__)
extern const KernelSet kernels_amx_model, kernels_amx_model_avx2;
#endif

namespace {

// bestKernels(registers): string
Napi::Value best_kernels_of(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
#if defined(__x86_64__)
        std::map<std::string, double> given = to_numbers(info[0], "registers");
        const auto value = [&](const std::string & name) { return static_cast<unsigned>(given[name]); };
        const auto leaf = [&](const std::string & name) {
            return ProcessorRegisters::Leaf{
                value(name + ".eax"), value(name + ".ebx"), value(name + ".ecx"), value(name + ".edx")
            };
        };
        const ProcessorRegisters registers{leaf("0"), leaf("1"), leaf("7"), leaf("7.1"), value("xcr0")};
        return Napi::String::New(env, best_kernels(features_of(registers)));
#else
        // no such registers
        return env.Undefined();
#endif
    });
}

const Extension kernel_extension([](Napi::Env env, Napi::Object exports) {
#if defined(__x86_64__)
    const ProcessorFeatures features = processor_features();
    if (features.avx512_bf16) add_kernels(kernels_amx_model);
    else if (features.avx2) add_kernels(kernels_amx_model_avx2);
#endif
    exports.Set("bestKernels", Napi::Function::New(env, best_kernels_of, "bestKernels"));
});

} // namespace

} // namespace svc
