// Which matrices LoRA adapters may update, by the official names of the trainer.
#pragma once
#include <string>
#include <vector>

#include "model/description/config.h"

namespace svc {

// The update of one matrix as the official trainer writes it: a is rank × inputs, b is outputs × rank, row by row.
struct LoraUpdate {
    std::string target; // official name of the matrix without ".weight"
    int rank;
    std::vector<float> a, b;
};

// A matrix that an adapter may update: its official name, and its name in the file.
struct AdapterTarget {
    std::string target, name;
    int64_t in, out;
};
std::vector<AdapterTarget> adapter_targets(const Config & config);

// Fails with MODEL_INVALID unless all updates fit the model and are finite, also with the scale.
void check_adapter(const Config & config, const std::vector<LoraUpdate> & updates, float scale);

} // namespace svc
