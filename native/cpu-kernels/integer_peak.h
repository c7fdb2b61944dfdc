// How fast this processor multiplies integers, as a bound for products of quantized weights.
#pragma once
#include <string>

namespace svc {

// Operations per second (a multiplication and an addition are two) that `threads` threads reach together with the
// integer instructions of some kernels, in registers; 0 if the instructions of these kernels are not known.
double integer_peak(const std::string & kernels, int threads);

} // namespace svc
