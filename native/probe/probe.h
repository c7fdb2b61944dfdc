#pragma once
#include <map>
#include <string>

#include "model/session/model.h"

namespace svc {

// Computes one stage with its intermediates, for verification.
Arrays probe(
    Model & model, const std::string & stage, const Arrays & inputs, const std::map<std::string, double> & parameters
);

} // namespace svc
