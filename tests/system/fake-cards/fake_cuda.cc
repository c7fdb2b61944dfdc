// A driver of NVIDIA cards that runs our kernels on the model of a GPU in the addon, and fails as the environment tells it to:
//
//   FAKE_CUDA        good, or the fault: no-device, not-started, too-old, refuses-module, no-memory, lost, hang, wrong; and of
//                    products of warpgroups alone: slow-warpgroups, wrong-warpgroups, lost-warpgroups
//   FAKE_CUDA_WHEN   a file: faults of launches happen once it exists, and remove it; otherwise they happen always
//   FAKE_CUDA_ADDON  path of the addon
//   FAKE_CUDA_CARDS  number of cards (default: 1)
//   FAKE_CUDA_HOPPER if set, cards are of that generation
//   FAKE_CUDA_BYTES  memory of each card (default: 8 GiB)
//   FAKE_CUDA_IDLE   if set, cards only count their memory: they copy and compute nothing, so that models of any size fit
//
// Compiled with OLD_DRIVER, it is a driver before CUDA 11.8. Types and numbers follow the documentation of the driver API.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#define API extern "C" __attribute__((visibility("default"))) int

namespace {

constexpr int invalid_value = 1, memory_status = 2, not_initialized = 3, no_device_status = 100, bad_ptx = 218, launch_failed = 719;

std::string variable(const char * name, const char * otherwise) {
    const char * value = std::getenv(name);
    return value ? value : otherwise;
}
size_t number(const char * name, size_t otherwise) {
    const std::string text = variable(name, "");
    return text.empty() ? otherwise : std::stoull(text);
}
const size_t total_bytes = number("FAKE_CUDA_BYTES", size_t{8} << 30);
const bool idle = std::getenv("FAKE_CUDA_IDLE") != nullptr;

bool has_fault(const char * fault) { return variable("FAKE_CUDA", "good") == fault; }
bool happens(const char * fault) {
    if (!has_fault(fault)) return false;
    const std::string when = variable("FAKE_CUDA_WHEN", "");
    return when.empty() || unlink(when.c_str()) == 0;
}

template <typename FunctionPointer>
FunctionPointer in_addon(const char * name) {
    static void * const addon = dlopen(variable("FAKE_CUDA_ADDON", "").c_str(), RTLD_NOW | RTLD_NOLOAD);
    void * const found = addon ? dlsym(addon, name) : nullptr;
    if (!found) {
        std::fprintf(stderr, "fake error: the addon has no model of a GPU\n");
        std::abort();
    }
    return reinterpret_cast<FunctionPointer>(found);
}

struct Kernel {
    const void * handle;
    size_t job_bytes;
    bool warpgroups;
};
using Work = std::function<void()>;
struct Graph {
    std::vector<Work> work;
};
struct Stream {
    std::unique_ptr<Graph> recording;
};
struct Config {
    unsigned grid[3], block[3], shared_bytes;
    Stream * stream;
    const void * attributes;
    unsigned attribute_count;
};

bool lost = false;
bool unsure = false; // whether what the last kernel computed is wrong
size_t used_bytes = 0;
std::map<void *, size_t> allocations;
// Addresses of idle cards, where nothing is.
uintptr_t next_address = uintptr_t{1} << 44;

// Milliseconds of work so far: as many for every launch, so that what is compared doesn't depend on the machine.
float worked = 0;
struct Event {
    float moment;
};

int run(Stream * stream, Work work) {
    if (lost) return launch_failed;
    if (stream && stream->recording) stream->recording->work.push_back(std::move(work));
    else work();
    return lost ? launch_failed : 0;
}

void launch(const Kernel & kernel, const Config & config, const std::vector<char> & job) {
    if (happens("hang")) {
        for (;;) pause();
    }
    if (happens("lost") || (kernel.warpgroups && has_fault("lost-warpgroups"))) lost = true;
    if (lost) return;
    worked += kernel.warpgroups && has_fault("slow-warpgroups") ? 20.0f : 10.0f;
    unsure = kernel.warpgroups && has_fault("wrong-warpgroups");
    const int grid[] = {
        static_cast<int>(config.grid[0]), static_cast<int>(config.grid[1]), static_cast<int>(config.grid[2])
    };
    in_addon<void (*)(const void *, const int *, int, size_t, const void *)>("svc_simt_launch")(
        kernel.handle, grid, static_cast<int>(config.block[0]), config.shared_bytes, job.data()
    );
}

int take(void ** memory, size_t bytes) {
    if (has_fault("no-memory") || used_bytes + bytes > total_bytes) return memory_status;
    const size_t whole = (bytes + 255) / 256 * 256;
    *memory = idle ? reinterpret_cast<void *>(next_address) : std::aligned_alloc(256, whole);
    next_address += whole;
    allocations[*memory] = bytes;
    used_bytes += bytes;
    return 0;
}
int give_back(void * memory) {
    used_bytes -= allocations[memory];
    allocations.erase(memory);
    if (!idle) std::free(memory);
    return 0;
}
int copy(Stream * stream, Work work) { return idle ? 0 : run(stream, std::move(work)); }

} // namespace

API cuInit(unsigned) { return has_fault("not-started") ? not_initialized : has_fault("no-device") ? no_device_status : 0; }
API cuDriverGetVersion(int * version) {
#ifdef OLD_DRIVER
    *version = 11040;
#else
    *version = 12040;
#endif
    return 0;
}
API cuDeviceGetCount(int * count) {
    *count = static_cast<int>(number("FAKE_CUDA_CARDS", 1));
    return 0;
}
API cuDeviceGet(int * device, int ordinal) {
    *device = ordinal;
    return 0;
}
API cuDeviceGetName(char * name, int length, int) {
    std::snprintf(name, length, "Fake card");
    return 0;
}
API cuDeviceGetPCIBusId(char * place, int length, int device) {
    std::snprintf(place, length, "0000:%02x:00.0", device + 1);
    return 0;
}
API cuDeviceTotalMem_v2(size_t * bytes, int) {
    *bytes = total_bytes;
    return 0;
}
API cuDeviceGetAttribute(int * value, int attribute, int) {
    static const bool is_hopper = std::getenv("FAKE_CUDA_HOPPER") != nullptr, is_old = has_fault("too-old");
    const std::map<int, int> values = {
        {13, 1500000},
        {16, 4},
        {36, 1000000},
        {37, 256},
        {75, is_old ? 7 : is_hopper ? 9 : 8},
        {76, is_old ? 5 : is_hopper ? 0 : 6},
        {97, (is_hopper ? 228 : 100) * 1024 - 1024}
    };
    *value = values.at(attribute);
    return 0;
}
API cuDevicePrimaryCtxSetFlags_v2(int, unsigned) { return 0; }
API cuDevicePrimaryCtxRetain(void ** context, int) {
    *context = &lost;
    return 0;
}
API cuDevicePrimaryCtxRelease_v2(int) { return 0; }
API cuCtxSetCurrent(void *) { return 0; }
API cuCtxSynchronize() { return lost ? launch_failed : 0; }
API cuMemGetInfo_v2(size_t * free, size_t * total) {
    *total = total_bytes;
    *free = total_bytes - used_bytes;
    return 0;
}
API cuModuleLoadDataEx(void ** module, const void * image, unsigned, int *, void **) {
    *module = &lost;
    return has_fault("refuses-module") || !std::strstr(static_cast<const char *>(image), ".version") ? bad_ptx : 0;
}
API cuModuleUnload(void *) { return 0; }
API cuModuleGetFunction(Kernel ** function, void *, const char * name) {
    auto kernel = std::make_unique<Kernel>();
    kernel->warpgroups = std::strncmp(name, "warpgroup_", 10) == 0;
    if (!idle) kernel->handle =
        in_addon<const void * (*)(const char *, size_t *)>("svc_simt_kernel")(name, &kernel->job_bytes);
    *function = kernel.release();
    return 0;
}
API cuFuncSetAttribute(void *, int, int) { return 0; }
API cuMemAlloc_v2(uint64_t * address, size_t bytes) {
    void * memory = nullptr;
    const int status = take(&memory, bytes);
    *address = reinterpret_cast<uint64_t>(memory);
    return status;
}
API cuMemFree_v2(uint64_t address) { return give_back(reinterpret_cast<void *>(address)); }
API cuMemHostAlloc(void ** memory, size_t bytes, unsigned) {
    *memory = std::calloc(bytes, 1);
    return has_fault("no-memory") || !*memory ? memory_status : 0;
}
API cuMemFreeHost(void * memory) {
    std::free(memory);
    return 0;
}
API cuMemcpyHtoDAsync_v2(uint64_t to, const void * from, size_t bytes, Stream * stream) {
    return copy(stream, [=] { std::memcpy(reinterpret_cast<void *>(to), from, bytes); });
}
API cuMemcpyDtoHAsync_v2(void * to, uint64_t from, size_t bytes, Stream * stream) {
    return copy(stream, [=] {
        std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
        if (bytes >= sizeof(float) && (unsure || happens("wrong"))) *static_cast<float *>(to) += 1e6f;
    });
}
API cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, Stream * stream) {
    return copy(stream, [=] { std::memset(reinterpret_cast<void *>(to), value, bytes); });
}
#ifndef OLD_DRIVER
API cuLaunchKernelEx(const Config * config, const Kernel * kernel, void ** parameters, void **) {
    if (idle) return run(config->stream, [] { worked += 10.0f; });
    const char * job = static_cast<const char *>(parameters[0]);
    const std::vector<char> saved(job, job + kernel->job_bytes);
    return run(config->stream, [config = *config, kernel = *kernel, saved] { launch(kernel, config, saved); });
}
#endif
API cuStreamCreate(Stream ** stream, unsigned) {
    *stream = new Stream();
    return 0;
}
API cuStreamDestroy_v2(Stream * stream) {
    delete stream;
    return 0;
}
API cuStreamSynchronize(Stream *) { return lost ? launch_failed : 0; }
API cuStreamBeginCapture_v2(Stream * stream, int) {
    stream->recording = std::make_unique<Graph>();
    return 0;
}
API cuStreamEndCapture(Stream * stream, Graph ** graph) {
    *graph = stream->recording.release();
    return 0;
}
API cuGraphInstantiateWithFlags(Graph ** exec, const Graph * graph, unsigned long long) {
    *exec = new Graph(*graph);
    return 0;
}
API cuGraphLaunch(const Graph * exec, Stream * stream) {
    for (const Work & work : exec->work) {
        if (const int status = run(stream, work)) return status;
    }
    return 0;
}
API cuGraphDestroy(Graph * graph) {
    delete graph;
    return 0;
}
API cuGraphExecDestroy(Graph * exec) {
    delete exec;
    return 0;
}
API cuEventCreate(Event ** event, unsigned) {
    *event = new Event();
    return 0;
}
API cuEventDestroy_v2(Event * event) {
    delete event;
    return 0;
}
API cuEventRecordWithFlags(Event * event, Stream * stream, unsigned flags) {
    // as of a node of a graph, while one is captured
    if ((flags == 1) != (stream->recording != nullptr)) return invalid_value;
    return run(stream, [event] { event->moment = worked; });
}
API cuEventElapsedTime(float * milliseconds, const Event * from, const Event * to) {
    *milliseconds = to->moment - from->moment;
    return 0;
}
API cuGetErrorName(int status, const char ** name) {
    static const std::map<int, const char *> names = {
        {memory_status, "CUDA_ERROR_OUT_OF_MEMORY"}, {not_initialized, "CUDA_ERROR_NOT_INITIALIZED"},
        {no_device_status, "CUDA_ERROR_NO_DEVICE"},  {bad_ptx, "CUDA_ERROR_INVALID_PTX"},
        {launch_failed, "CUDA_ERROR_LAUNCH_FAILED"}, {invalid_value, "CUDA_ERROR_INVALID_VALUE"},
    };
    *name = names.at(status);
    return 0;
}
