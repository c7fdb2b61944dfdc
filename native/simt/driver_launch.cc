// Launches for a driver of tests, which runs kernels on the model and finds these functions in the addon.
#include "cuda/simt/model.h"

namespace svc::cuda {
namespace {

unsigned driver_order = 1;

} // namespace
} // namespace svc::cuda

extern "C" __attribute__((visibility("default"))) const void * svc_simt_kernel(const char * name, size_t * job_bytes) {
    const auto & found = svc::cuda::model::find_kernel(name);
    *job_bytes = found.job_bytes;
    return &found;
}

extern "C" __attribute__((visibility("default"))) void svc_simt_launch(
    const void * kernel, const int grid[3], int threads, size_t shared_bytes, const void * job
) {
    auto & order = svc::cuda::driver_order;
    order = order * 1664525u + 1013904223u;
    svc::cuda::model::launch(
        *static_cast<const svc::cuda::model::Kernel *>(kernel), grid, threads, shared_bytes, job, order
    );
}
