// The names of warpgroup.h on a processor. Products happen as late as the waits allow: until then their results are poison, and
// they read weights and columns as they then are.
#pragma once

namespace svc::cuda {

namespace model {

struct WarpgroupProduct {
    float * y;
    const uint32_t * a;
    uint64_t b; // from shared_memory(), in units of 16 bytes
    int columns;
    Widen widen;
};
void fence_products();
void defer_product(const WarpgroupProduct & product);
void commit_products();
void wait_products(int pending);
void fence_matrix();

} // namespace model

inline void warpgroup_fence() { model::fence_products(); }
inline void warpgroup_commit() { model::commit_products(); }
template <int Pending>
inline void warpgroup_wait() {
    model::wait_products(Pending);
}
inline void matrix_fence() { model::fence_matrix(); }
inline uint64_t describe_columns(const void * shared) {
    return static_cast<uint64_t>(static_cast<const char *>(shared) - model::shared_memory()) >> 4;
}
template <int Columns>
inline void warpgroup_bf16(float (&y)[Columns / 2], const uint32_t (&a)[4], uint64_t b) {
    model::defer_product({y, a, b, Columns, float_of_bfloat_bits});
}
template <int Columns>
inline void warpgroup_f16(float (&y)[Columns / 2], const uint32_t (&a)[4], uint64_t b) {
    model::defer_product({y, a, b, Columns, float_of_half_bits});
}

} // namespace svc::cuda
