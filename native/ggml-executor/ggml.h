// ggml for the rest of the addon: all calls go through the function table that library.cc fills.
#pragma once
#include "ggml_table.h"
// after the table, so that its deleters use it too
#include "ggml-cpp.h"
#include "ggml-cpu.h"
