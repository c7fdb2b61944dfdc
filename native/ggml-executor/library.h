// Loads ggml's prebuilt shared libraries at run time.
#pragma once
#include <string>
#include <vector>

#include "ggml-executor/ggml.h"

namespace svc {

// Fills the function table from the libraries in the first directory and registers its best CPU library for this
// machine, and no GPU's. Where that fails, uses the ggml in this addon, if it has one, which computes on any CPU.
// Idempotent. Returns why it uses its own; empty if it doesn't. Fails with BACKEND_UNAVAILABLE when a library is missing
// or its version differs from the headers of this build.
const std::string & load_ggml(const std::vector<std::string> & directories);

// Registers the library of a GPU backend and returns its devices; from then on, ggml's errors are printed to standard
// error. A fault of a driver ends the process, so this is for child processes. Fails with BACKEND_UNAVAILABLE when the
// library doesn't load.
std::vector<ggml_backend_dev_t> load_devices(const std::string & library);

// Keeps the addon in memory until the process ends. Node unloads it with the last worker thread that used it, but ggml
// keeps pointers into it.
void stay_loaded();

// The system's message when the library at `path` cannot be loaded; empty when it can.
std::string explain_library(const std::string & path);

// ggml's recent warnings and errors, for error messages; clears them.
std::string take_ggml_log();

} // namespace svc
