#include "ggml-executor/library.h"

#include <cstdio>
#include <filesystem>
#include <mutex>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#include "runtime/error.h"
#include "ggml-executor/ggml.h"
#include "svc-ggml-version.h"

GgmlTable ggml_table;

namespace svc {
namespace {

namespace fs = std::filesystem;

std::mutex log_mutex;
std::string log_text;
bool prints_errors = false;

void keep_log(ggml_log_level level, const char * text, void *) {
    if (level != GGML_LOG_LEVEL_WARN && level != GGML_LOG_LEVEL_ERROR && level != GGML_LOG_LEVEL_CONT) return;
    std::lock_guard<std::mutex> lock(log_mutex);
    if (log_text.size() < 4096) log_text += text;
    if (prints_errors && level == GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
}

#ifdef _WIN32
const char * const base_name = "ggml-base.dll";
const char * const cpu_prefix = "ggml-cpu";
const char * const prefix = "ggml.";
const char * const suffix = ".dll";
#elif defined(__APPLE__)
const char * const base_name = "libggml-base.dylib";
const char * const cpu_prefix = "libggml-cpu";
const char * const prefix = "libggml.";
const char * const suffix = ".dylib";
#else
const char * const base_name = "libggml-base.so";
const char * const cpu_prefix = "libggml-cpu";
const char * const prefix = "libggml.";
const char * const suffix = ".so";
#endif

// Of backends, which ggml's build calls modules.
#ifdef _WIN32
const char * const module_suffix = ".dll";
#else
const char * const module_suffix = ".so";
#endif

// For messages, in UTF-8: `path::string` throws for names that Windows' code page does not have.
std::string shown(const fs::path & path) {
    const auto text = path.u8string();
    return {text.begin(), text.end()};
}

void * open_library(const fs::path & path) {
#ifdef _WIN32
    // also searches the folder of the library for its dependencies
    void * handle = LoadLibraryExW(path.wstring().c_str(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
    if (!handle) fail("BACKEND_UNAVAILABLE", "cannot load ", shown(path), ": Windows error ", GetLastError());
#else
    void * handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) fail("BACKEND_UNAVAILABLE", "cannot load a ggml library: ", dlerror());
#endif
    return handle;
}

void * find_symbol(void * handle, const char * name) {
#ifdef _WIN32
    return reinterpret_cast<void *>(GetProcAddress(static_cast<HMODULE>(handle), name));
#else
    return dlsym(handle, name);
#endif
}

void close_library(void * handle) {
#ifdef _WIN32
    FreeLibrary(static_cast<HMODULE>(handle));
#else
    dlclose(handle);
#endif
}

// `libggml.v0.4.0.so`, or `libggml.vulkan.v0.5.0.so` in a GPU package.
fs::path find_registry(const fs::path & directory) {
    std::error_code ignored;
    for (const auto & entry : fs::directory_iterator(directory, ignored)) {
        const std::string name = shown(entry.path().filename());
        if (name.rfind(prefix, 0) == 0 && name.find(".v") != std::string::npos && entry.path().extension() == suffix)
            return entry.path();
    }
    fail("BACKEND_UNAVAILABLE", shown(directory), " has no ", prefix, "v*", suffix);
}

void fill_table(const fs::path & directory) {
    void * const handles[] = {open_library(directory / base_name), open_library(find_registry(directory))};
    for (const GgmlSymbol & symbol : ggml_symbols) {
        void * address = nullptr;
        for (void * handle : handles) {
            if (!address) address = find_symbol(handle, symbol.name);
        }
        if (!address)
            fail("BACKEND_UNAVAILABLE", "the ggml libraries in ", shown(directory), " have no function ", symbol.name);
        *symbol.slot = address;
    }
    // Another package in this process may have loaded a different ggml under the same library name; mixing ABIs would
    // go unnoticed.
    const std::string version = ggml_version();
    if (version != SVC_GGML_VERSION) {
        fail(
            "BACKEND_UNAVAILABLE", "ggml ", version, " is loaded, but this addon needs ", SVC_GGML_VERSION,
            "; another package in this process may bring its own ggml"
        );
    }
}

// How well a CPU library fits this processor; 0 if it doesn't run here. The only one of a package may have no score.
int score_of(const fs::path & path) {
    void * handle = nullptr;
    try {
        handle = open_library(path);
    } catch (const Error &) {
        return 0;
    }
    const auto score = reinterpret_cast<int (*)()>(find_symbol(handle, "ggml_backend_score"));
    const int result = score ? score() : 1;
    close_library(handle);
    return result;
}

// Null if it does not load or does not fit. Not by its path on Windows, which ggml reads in the code page: once loaded, a
// library is found by its name.
ggml_backend_reg_t register_library(const std::string & path) {
#ifdef _WIN32
    if (!explain_library(path).empty()) return nullptr;
    return ggml_backend_load(shown(fs::u8path(path).filename()).c_str());
#else
    return ggml_backend_load(path.c_str());
#endif
}

// Registers the best CPU library of a directory. ggml's own search would load the libraries of GPUs too.
void load_cpu(const fs::path & directory) {
    fs::path best;
    int best_score = 0;
    std::error_code ignored;
    for (const auto & entry : fs::directory_iterator(directory, ignored)) {
        if (shown(entry.path().filename()).rfind(cpu_prefix, 0) != 0 || entry.path().extension() != module_suffix)
            continue;
        const int score = score_of(entry.path());
        if (score <= best_score) continue;
        best_score = score;
        best = entry.path();
    }
    if (!best.empty()) register_library(shown(best));
    if (ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU)) return;
    fail("BACKEND_UNAVAILABLE", shown(directory), " has no ggml CPU library for this processor: ", take_ggml_log());
}

void load_libraries(const std::vector<std::string> & directories) {
    if (directories.empty()) fail("BACKEND_UNAVAILABLE", "none are installed for this system");
    const fs::path first = fs::u8path(directories.front());
    fill_table(first);
    ggml_log_set(keep_log, nullptr);
    load_cpu(first);
}

} // namespace

const std::string & load_ggml(const std::vector<std::string> & directories) {
    static std::mutex mutex;
    static bool loaded = false;
    static std::string reason;
    std::lock_guard<std::mutex> lock(mutex);
    if (loaded) return reason;
    try {
        load_libraries(directories);
    } catch ([[maybe_unused]] const Error & error) {
#ifdef SVC_OWN_GGML
        reason = error.what();
        use_own_ggml();
        ggml_log_set(keep_log, nullptr);
#else
        throw;
#endif
    }
    loaded = true;
    return reason;
}

std::vector<ggml_backend_dev_t> load_devices(const std::string & library) {
    {
        std::lock_guard<std::mutex> lock(log_mutex);
        prints_errors = true;
    }
    const ggml_backend_reg_t registry = register_library(library);
    if (!registry) {
        const std::string reason = explain_library(library);
        fail("BACKEND_UNAVAILABLE", reason.empty() ? "it does not fit this system: " + take_ggml_log() : reason);
    }
    std::vector<ggml_backend_dev_t> devices;
    for (size_t i = 0; i < ggml_backend_reg_dev_count(registry); i++)
        devices.push_back(ggml_backend_reg_dev_get(registry, i));
    return devices;
}

void stay_loaded() {
#ifdef _WIN32
    HMODULE module;
    GetModuleHandleExW(
        GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN, reinterpret_cast<LPCWSTR>(&stay_loaded),
        &module
    );
#else
    Dl_info here;
    if (dladdr(reinterpret_cast<void *>(&stay_loaded), &here) != 0) dlopen(here.dli_fname, RTLD_NOW | RTLD_NODELETE);
#endif
}

std::string explain_library(const std::string & path) {
    try {
        open_library(fs::u8path(path));
        return "";
    } catch (const Error & error) {
        return error.what();
    }
}

std::string take_ggml_log() {
    std::lock_guard<std::mutex> lock(log_mutex);
    std::string text;
    text.swap(log_text);
    for (char & character : text) {
        if (character == '\n') character = ' ';
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
}

} // namespace svc
