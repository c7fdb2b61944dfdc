// ggml as the rest of the addon sees it: every function goes through the table that library.cc fills.
#pragma once
#include "ggml_table.h"
// after the table, so that its deleters go through it too
#include "ggml-cpp.h"
#include "ggml-cpu.h"
