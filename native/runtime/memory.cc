#include "runtime/memory.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "runtime/error.h"

namespace svc {

void require_memory(size_t bytes) {
    constexpr size_t reserve = size_t{64} << 20;
    // volatile: otherwise the compiler may drop an unused malloc/free pair
    void * volatile block = std::malloc(bytes + reserve);
    if (!block) fail("OUT_OF_MEMORY", "not enough memory or address space for ", (bytes + reserve) >> 20, " MiB more");
    std::free(block);
}

void return_freed_memory() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

} // namespace svc
