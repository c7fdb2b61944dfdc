// The exception type of the native code. `code` is an ErrorCode of src/errors.ts.
#pragma once
#include <sstream>
#include <stdexcept>
#include <string>

namespace svc {

class Error : public std::runtime_error {
public:
    Error(std::string code, const std::string & message) : std::runtime_error(message), code_(std::move(code)) {}
    const std::string & code() const { return code_; }

private:
    std::string code_;
};

// Throws an Error with the parts concatenated as its message.
template <typename... Parts>
[[noreturn]] void fail(const char * code, const Parts &... parts) {
    std::ostringstream text;
    (text << ... << parts);
    throw Error(code, text.str());
}

} // namespace svc
