#include "cuda/driver.h"

#include <string>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#include "runtime/error.h"

namespace svc::cuda {
namespace {

constexpr const char * library_name =
#ifdef _WIN32
    "nvcuda.dll";
#else
    "libcuda.so.1";
#endif

void * open_library() {
#ifdef _WIN32
    return reinterpret_cast<void *>(LoadLibraryExA(library_name, nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32));
#else
    return dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
#endif
}

std::string why_not_opened() {
#ifdef _WIN32
    return "error " + std::to_string(GetLastError());
#else
    const char * reason = dlerror();
    return reason ? reason : "unknown error";
#endif
}

void * library() {
    static void * const opened = open_library();
    return opened;
}

void * find_symbol(const char * name) {
#ifdef _WIN32
    return reinterpret_cast<void *>(GetProcAddress(static_cast<HMODULE>(library()), name));
#else
    return dlsym(library(), name);
#endif
}

template <typename FunctionPointer>
bool find(FunctionPointer & function, const char * name) {
    function = reinterpret_cast<FunctionPointer>(find_symbol(name));
    return function != nullptr;
}

bool load(Driver & d) {
    return find(d.init, "cuInit") && find(d.driver_version, "cuDriverGetVersion") &&
        find(d.device_count, "cuDeviceGetCount") && find(d.device_get, "cuDeviceGet") &&
        find(d.device_name, "cuDeviceGetName") && find(d.device_attribute, "cuDeviceGetAttribute") &&
        find(d.device_memory, "cuDeviceTotalMem_v2") && find(d.device_place, "cuDeviceGetPCIBusId") &&
        find(d.primary_flags, "cuDevicePrimaryCtxSetFlags_v2") && find(d.primary_retain, "cuDevicePrimaryCtxRetain") &&
        find(d.primary_release, "cuDevicePrimaryCtxRelease_v2") && find(d.set_current, "cuCtxSetCurrent") &&
        find(d.memory_info, "cuMemGetInfo_v2") && find(d.module_load, "cuModuleLoadDataEx") &&
        find(d.module_unload, "cuModuleUnload") && find(d.module_function, "cuModuleGetFunction") &&
        find(d.function_set, "cuFuncSetAttribute") && find(d.allocate, "cuMemAlloc_v2") &&
        find(d.free, "cuMemFree_v2") && find(d.allocate_host, "cuMemHostAlloc") && find(d.free_host, "cuMemFreeHost") &&
        find(d.upload, "cuMemcpyHtoDAsync_v2") && find(d.download, "cuMemcpyDtoHAsync_v2") &&
        find(d.fill, "cuMemsetD8Async") && find(d.launch, "cuLaunchKernelEx") &&
        find(d.stream_create, "cuStreamCreate") && find(d.stream_destroy, "cuStreamDestroy_v2") &&
        find(d.stream_synchronize, "cuStreamSynchronize") && find(d.context_synchronize, "cuCtxSynchronize") &&
        find(d.capture_begin, "cuStreamBeginCapture_v2") && find(d.capture_end, "cuStreamEndCapture") &&
        find(d.graph_instantiate, "cuGraphInstantiateWithFlags") && find(d.graph_launch, "cuGraphLaunch") &&
        find(d.graph_destroy, "cuGraphDestroy") && find(d.graph_exec_destroy, "cuGraphExecDestroy") &&
        find(d.event_create, "cuEventCreate") && find(d.event_destroy, "cuEventDestroy_v2") &&
        find(d.event_record, "cuEventRecordWithFlags") && find(d.event_elapsed, "cuEventElapsedTime") &&
        find(d.error_name, "cuGetErrorName");
}

// The version of CUDA that the driver supports, such as "11.4".
std::string version_of(const Driver & d) {
    int version = 0;
    if (!d.driver_version || d.driver_version(&version) != 0) return "an unknown version";
    return version_text(version);
}

} // namespace

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

const Driver & driver() {
    if (!library()) {
        static const std::string reason = why_not_opened();
        fail("BACKEND_UNAVAILABLE", "there is no NVIDIA driver (", library_name, ": ", reason, ")");
    }
    static Driver functions;
    static const bool loaded = load(functions);
    if (!loaded)
        fail("BACKEND_UNAVAILABLE", "the NVIDIA driver supports CUDA ", version_of(functions), ", older than 11.8");
    return functions;
}

} // namespace svc::cuda
