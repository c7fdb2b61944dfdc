// Loading ggml's prebuilt shared libraries at run time.
#pragma once
#include <string>
#include <vector>

namespace svc {

// Fills the function table from the libraries in the first directory and registers the backends found in
// all of them (the best CPU variant for this machine; CUDA, Vulkan, Metal where their library is there).
// Idempotent. Fails with BACKEND_UNAVAILABLE when a library is missing or of another version than the
// headers that the addon was built with.
void load_ggml(const std::vector<std::string> & directories);

// Keeps this code in memory until the process ends. Node unloads an addon with the last worker thread that used it, and
// ggml keeps pointers into this one.
void stay_loaded();

// Why the library at `path` can't be loaded, in the system's words; empty when it can.
std::string explain_library(const std::string & path);

// What ggml said last, at warning level or above; cleared by the call. For error messages.
std::string take_ggml_log();

} // namespace svc
