// Two mistakes that the sanitizers have to report, made on request while the addon is loaded. Built into the sanitized
// addon of the test, and into no other.
#include <climits>
#include <cstdlib>
#include <cstring>

namespace {

struct Mistake {
    Mistake() {
        const char * wanted = std::getenv("SVC_TEST_MISTAKE");
        if (!wanted) return;
        volatile int index = 8;
        // UBSan would report the first mistake in place of ASan if it knew the size
        volatile size_t size = 8;
        if (std::strcmp(wanted, "address") == 0) {
            volatile char * bytes = static_cast<volatile char *>(std::malloc(size));
            bytes[index] = 1;
        } else {
            volatile int largest = INT_MAX;
            largest = largest + index;
        }
    }
} mistake;

} // namespace
