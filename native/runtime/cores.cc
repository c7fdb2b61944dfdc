#include "runtime/cores.h"

#if defined(_WIN32)
#include <windows.h>

#include <algorithm>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace svc {

#if defined(_WIN32)

std::vector<Core> physical_cores() {
    DWORD size = 0;
    GetLogicalProcessorInformationEx(RelationProcessorCore, nullptr, &size);
    std::vector<char> buffer(size);
    const auto at = [&](DWORD offset) {
        return reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX *>(buffer.data() + offset);
    };
    if (size == 0 || !GetLogicalProcessorInformationEx(RelationProcessorCore, at(0), &size)) return {};

    // The masks are those of one group of up to 64 logical processors. Without an affinity, Windows uses all groups.
    DWORD_PTR process = 0, system = 0;
    GROUP_AFFINITY thread = {};
    const bool bounded = GetProcessAffinityMask(GetCurrentProcess(), &process, &system) && process != system &&
        GetThreadGroupAffinity(GetCurrentThread(), &thread);

    BYTE fastest = 0;
    for (DWORD offset = 0; offset < size; offset += at(offset)->Size)
        fastest = std::max(fastest, at(offset)->Processor.EfficiencyClass);
    std::vector<Core> cores;
    for (DWORD offset = 0; offset < size; offset += at(offset)->Size) {
        const PROCESSOR_RELATIONSHIP & core = at(offset)->Processor;
        const GROUP_AFFINITY & own = core.GroupMask[0];
        cores.push_back(
            {core.EfficiencyClass < fastest, !bounded || (own.Group == thread.Group && (own.Mask & process) != 0)}
        );
    }
    return cores;
}

#elif defined(__APPLE__)

namespace {

// Zero if the system does not know it.
int read_count(const char * name) {
    int count = 0;
    size_t size = sizeof(count);
    return sysctlbyname(name, &count, &size, nullptr, 0) == 0 ? count : 0;
}

} // namespace

std::vector<Core> physical_cores() {
    const int fast = read_count("hw.perflevel0.physicalcpu");
    // Intel processors have one level, which macOS 11 does not count.
    std::vector<Core> cores(fast > 0 ? fast : read_count("hw.physicalcpu"), {false, true});
    cores.insert(cores.end(), fast > 0 ? read_count("hw.perflevel1.physicalcpu") : 0, {true, true});
    return cores;
}

#else

std::vector<Core> physical_cores() { return {}; }

#endif

} // namespace svc
