// What the model's parts know of the block that runs.
#pragma once
#include <cstddef>

namespace svc::cuda::model {

[[noreturn]] void refuse(const char * what, const char * detail);
size_t shared_bytes();
// Whether what copies wrote before the last barrier is visible to products of warpgroups.
bool copies_are_fenced();
// Of the thread that runs.
bool products_are_awaited();

} // namespace svc::cuda::model
