#include "cuda/driver.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace svc::cuda {
namespace {

void * find_symbol(const char * name) {
#ifdef _WIN32
    static const HMODULE library = LoadLibraryExA("nvcuda.dll", nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
    return library ? reinterpret_cast<void *>(GetProcAddress(library, name)) : nullptr;
#else
    static void * const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : nullptr;
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
        find(d.device_memory, "cuDeviceTotalMem_v2") && find(d.primary_flags, "cuDevicePrimaryCtxSetFlags_v2") &&
        find(d.primary_retain, "cuDevicePrimaryCtxRetain") && find(d.primary_release, "cuDevicePrimaryCtxRelease_v2") &&
        find(d.set_current, "cuCtxSetCurrent") && find(d.memory_info, "cuMemGetInfo_v2") &&
        find(d.module_load, "cuModuleLoadDataEx") && find(d.module_unload, "cuModuleUnload") &&
        find(d.module_function, "cuModuleGetFunction") && find(d.function_set, "cuFuncSetAttribute") &&
        find(d.allocate, "cuMemAlloc_v2") && find(d.free, "cuMemFree_v2") && find(d.allocate_host, "cuMemHostAlloc") &&
        find(d.free_host, "cuMemFreeHost") && find(d.upload, "cuMemcpyHtoDAsync_v2") &&
        find(d.download, "cuMemcpyDtoHAsync_v2") && find(d.fill, "cuMemsetD8Async") &&
        find(d.launch, "cuLaunchKernelEx") && find(d.stream_create, "cuStreamCreate") &&
        find(d.stream_destroy, "cuStreamDestroy_v2") && find(d.stream_synchronize, "cuStreamSynchronize") &&
        find(d.context_synchronize, "cuCtxSynchronize") && find(d.capture_begin, "cuStreamBeginCapture_v2") &&
        find(d.capture_end, "cuStreamEndCapture") && find(d.graph_instantiate, "cuGraphInstantiateWithFlags") &&
        find(d.graph_launch, "cuGraphLaunch") && find(d.graph_destroy, "cuGraphDestroy") &&
        find(d.graph_exec_destroy, "cuGraphExecDestroy") && find(d.error_name, "cuGetErrorName");
}

} // namespace

const Driver * driver() {
    static Driver functions;
    static const bool loaded = load(functions);
    return loaded ? &functions : nullptr;
}

} // namespace svc::cuda
