// Loads ggml's prebuilt shared libraries at run time.
#pragma once
#include <string>
#include <vector>

namespace svc {

// Fills the function table from the libraries in the first directory and registers the backends found in all of them:
// the best CPU variant for this machine, and CUDA, Vulkan or Metal where installed. Where that fails, uses the ggml in
// this addon, if it has one, which computes on any CPU. Idempotent. Returns why it uses its own; empty if it doesn't.
// Fails with BACKEND_UNAVAILABLE when a library is missing or its version differs from the headers of this build.
const std::string & load_ggml(const std::vector<std::string> & directories);

// Keeps the addon in memory until the process ends. Node unloads it with the last worker thread that used it, but ggml
// keeps pointers into it.
void stay_loaded();

// The system's message when the library at `path` cannot be loaded; empty when it can.
std::string explain_library(const std::string & path);

// ggml's recent warnings and errors, for error messages; clears them.
std::string take_ggml_log();

} // namespace svc
