#include "addon/engines.h"

#include "ggml-executor/ggml_executor.h"
#include "runtime/error.h"

namespace svc {
namespace {

std::vector<const Engine *> & known_engines() {
    static std::vector<const Engine *> engines = {&ggml_engine};
    return engines;
}

} // namespace

const std::vector<const Engine *> & engines() { return known_engines(); }

void add_engine(const Engine & engine) { known_engines().push_back(&engine); }

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
