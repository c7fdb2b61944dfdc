#include <atomic>
#include <cstring>

#include "cpu-kernels/kernels.h"
#include "cpu-kernels/processor.h"
#include "kernel_sets.h"

namespace svc {

TileLimits tile_limits;

#define SVC_DECLARE(set) extern const KernelSet kernels_##set;
SVC_KERNEL_SETS(SVC_DECLARE)

namespace {

#define SVC_ADDRESS(set) &kernels_##set,
const KernelSet * const compiled[] = {SVC_KERNEL_SETS(SVC_ADDRESS) nullptr};

std::atomic<const KernelSet *> added = nullptr;

const KernelSet * find_compiled(const char * name) {
    for (const KernelSet * kernels : compiled) {
        if (kernels && std::strcmp(kernels->name, name) == 0) return kernels;
    }
    return nullptr;
}

const KernelSet * choose_kernels(const ProcessorFeatures & features, const char * name) {
    for (const KernelCandidate & candidate : kernel_candidates(features)) {
        const bool wanted = name ? std::strcmp(name, candidate.name) == 0 : !candidate.by_name_only;
        const KernelSet * found = candidate.runs && wanted ? find_compiled(candidate.name) : nullptr;
        if (found) return found;
    }
    const KernelSet * other = added;
    return name && other && std::strcmp(name, other->name) == 0 ? other : nullptr;
}

const ProcessorFeatures processor = processor_features();

} // namespace

const KernelSet * find_kernels(const char * name) {
    const KernelSet * found = choose_kernels(processor, name);
#if defined(__x86_64__)
    // not before they are wanted
    if (found && std::strcmp(found->name, "amx") == 0 && !enable_tiles()) {
        ProcessorFeatures others = processor;
        others.amx = false;
        return choose_kernels(others, name);
    }
#endif
    return found;
}

void add_kernels(const KernelSet & kernels) { added = &kernels; }

} // namespace svc
