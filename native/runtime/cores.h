// Physical cores of this machine.
#pragma once
#include <vector>

namespace svc {

struct Core {
    // slower than other cores of this machine
    bool efficient;
    // the affinity of this process contains one of its logical processors
    bool allowed;
};

// Empty on Linux, where src/processors/machine.ts reads files, and if the system does not answer.
std::vector<Core> physical_cores();

} // namespace svc
