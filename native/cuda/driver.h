// The part of the CUDA driver API that is used, opened at run time: no CUDA header, library or runtime is needed to build or
// to run. Types and numbers follow the documentation of the driver API.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace svc::cuda {

using Status = int; // 0: success
using DeviceIndex = int;
using Address = unsigned long long;
using Context = struct ContextOf *;
using Module = struct ModuleOf *;
using Function = struct FunctionOf *;
using Stream = struct StreamOf *;
using Graph = struct GraphOf *;
using GraphExec = struct GraphExecOf *;
using Event = struct EventOf *;

// CUlaunchAttribute: an id, and a value of 64 bytes at offset 8.
struct LaunchAttribute {
    int id;
    char padding[4];
    union {
        int flag;
        char bytes[64];
    } value;
};
constexpr int programmatic_stream_serialization = 6;
// CUlaunchConfig
struct LaunchConfig {
    unsigned grid[3], block[3], shared_bytes;
    Stream stream;
    LaunchAttribute * attributes;
    unsigned attribute_count;
};

constexpr Status out_of_memory = 2, no_device = 100;
constexpr int jit_error_log = 5, jit_error_log_bytes = 6;
constexpr int most_dynamic_shared_bytes = 8; // of a function
// of a device; clocks in kHz, width in bits
constexpr int core_clock = 13, multiprocessors = 16, memory_clock = 36, memory_width = 37, major_capability = 75,
              minor_capability = 76, most_shared_bytes = 97;
constexpr int capture_relaxed = 2;
constexpr unsigned wait_without_spinning = 4;  // of a context
constexpr unsigned without_default_stream = 1; // of a stream
constexpr unsigned node_of_graph = 1;          // of the recording of an event, while work is captured

// Newest functions: cuLaunchKernelEx, of CUDA 11.8.
struct Driver {
    Status (*init)(unsigned flags);
    Status (*driver_version)(int * version);
    Status (*device_count)(int * count);
    Status (*device_get)(DeviceIndex * device, int ordinal);
    Status (*device_name)(char * name, int length, DeviceIndex device);
    Status (*device_attribute)(int * value, int attribute, DeviceIndex device);
    Status (*device_memory)(size_t * bytes, DeviceIndex device);
    Status (*device_place)(char * place, int length, DeviceIndex device);
    Status (*primary_flags)(DeviceIndex device, unsigned flags);
    Status (*primary_retain)(Context * context, DeviceIndex device);
    Status (*primary_release)(DeviceIndex device);
    Status (*set_current)(Context context);
    Status (*memory_info)(size_t * free, size_t * total);
    Status (*module_load)(Module * module, const void * image, unsigned options, int * names, void ** values);
    Status (*module_unload)(Module module);
    Status (*module_function)(Function * function, Module module, const char * name);
    Status (*function_set)(Function function, int attribute, int value);
    Status (*allocate)(Address * address, size_t bytes);
    Status (*free)(Address address);
    Status (*allocate_host)(void ** address, size_t bytes, unsigned flags);
    Status (*free_host)(void * address);
    Status (*upload)(Address to, const void * from, size_t bytes, Stream stream);
    Status (*download)(void * to, Address from, size_t bytes, Stream stream);
    Status (*fill)(Address to, unsigned char value, size_t bytes, Stream stream);
    Status (*launch)(const LaunchConfig * config, Function function, void ** parameters, void ** extra);
    Status (*stream_create)(Stream * stream, unsigned flags);
    Status (*stream_destroy)(Stream stream);
    Status (*stream_synchronize)(Stream stream);
    Status (*context_synchronize)();
    Status (*capture_begin)(Stream stream, int mode);
    Status (*capture_end)(Stream stream, Graph * graph);
    Status (*graph_instantiate)(GraphExec * exec, Graph graph, unsigned long long flags);
    Status (*graph_launch)(GraphExec exec, Stream stream);
    Status (*graph_destroy)(Graph graph);
    Status (*graph_exec_destroy)(GraphExec exec);
    Status (*event_create)(Event * event, unsigned flags);
    Status (*event_destroy)(Event event);
    Status (*event_record)(Event event, Stream stream, unsigned flags);
    Status (*event_elapsed)(float * milliseconds, Event from, Event to);
    Status (*error_name)(Status status, const char ** name);
};

// Such as "13.0" of 13000.
std::string version_text(int version);
// Fails with BACKEND_UNAVAILABLE if the machine has no NVIDIA driver, or one older than CUDA 11.8.
const Driver & driver();

} // namespace svc::cuda
