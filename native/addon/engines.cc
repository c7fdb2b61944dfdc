#include "addon/engines.h"

#include "ggml-executor/ggml_executor.h"
#include "runtime/error.h"

namespace svc {
namespace {

std::vector<const Engine *> & registry() {
    static std::vector<const Engine *> engines = {&ggml_engine};
    return engines;
}

} // namespace

const std::vector<const Engine *> & engines() { return registry(); }

void add_engine(const Engine & engine) { registry().push_back(&engine); }

const Engine & find_engine(const std::string & device, const std::string & kernels) {
    for (const Engine * engine : engines()) {
        if (engine->name == kernels) return *engine;
    }
    for (const Engine * engine : engines()) {
        for (const Device & listed : engine->devices()) {
            if (listed.name == device) return *engine;
        }
    }
    fail("BACKEND_UNAVAILABLE", "unknown device \"", device, "\"");
}

} // namespace svc
