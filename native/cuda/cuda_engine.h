// The engine that computes on the NVIDIA cards of this machine. Only child processes load the driver.
#pragma once
#include <string>
#include <vector>

#include "cuda/driver_device.h"
#include "model/executor.h"

namespace svc::cuda {

// Lists the cards that load_cards() has found, as CUDA0, CUDA1 …
extern const Engine cuda_engine;

std::string device_name(const Card & card);

// Loads the driver. Fails with BACKEND_UNAVAILABLE if it is missing, too old, or can't start.
const std::vector<Card> & load_cards();
// A card by its name. Fails with BACKEND_UNAVAILABLE.
const Card & find_card(const std::string & name);
// The PTX of the modules that a card is opened with. Before a model is opened.
void set_modules(const std::string & name, std::vector<std::string> texts);
// With the modules that it was given. Fails with BACKEND_UNAVAILABLE.
std::unique_ptr<Device> open_card(const Card & card);

} // namespace svc::cuda
