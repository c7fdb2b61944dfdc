// Functions of the addon that are defined elsewhere, such as those for tests.
#pragma once
#include <napi.h>

#include <vector>

namespace svc {

// Declare a static one; it adds its functions to the exports of each environment.
class Extension {
public:
    using Define = void (*)(Napi::Env env, Napi::Object exports);
    explicit Extension(Define define) { all().push_back(define); }
    static void define_all(Napi::Env env, Napi::Object exports) {
        for (const Define define : all()) define(env, exports);
    }

private:
    static std::vector<Define> & all() {
        static std::vector<Define> extensions;
        return extensions;
    }
};

} // namespace svc
