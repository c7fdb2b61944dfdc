// The names of warpgroup.h as PTX.
#pragma once

namespace svc::cuda {

inline void warpgroup_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
inline void warpgroup_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int Pending>
inline void warpgroup_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}
inline void matrix_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// The matrix descriptor of the PTX manual: 8 columns in 512 bytes, in the swizzle of 64 bytes.
inline uint64_t describe_columns(const void * shared) {
    constexpr uint64_t eight_columns = 512 >> 4, swizzle_64 = 2;
    return (shared_address(shared) >> 4 & 0x3fff) | uint64_t{1} << 16 | eight_columns << 32 | swizzle_64 << 62;
}

// Eight results each.
#define SVC_Y(i)                                                                                                       \
    "+f"(y[i]), "+f"(y[i + 1]), "+f"(y[i + 2]), "+f"(y[i + 3]), "+f"(y[i + 4]), "+f"(y[i + 5]), "+f"(y[i + 6]),        \
        "+f"(y[i + 7])
#define SVC_Y_24 SVC_Y(0), SVC_Y(8), SVC_Y(16)
#define SVC_Y_48 SVC_Y_24, SVC_Y(24), SVC_Y(32), SVC_Y(40)
#define SVC_Y_88 SVC_Y_48, SVC_Y(48), SVC_Y(56), SVC_Y(64), SVC_Y(72), SVC_Y(80)
#define SVC_TEXT_24 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23"
#define SVC_TEXT_48                                                                                                    \
    SVC_TEXT_24 ",%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"
#define SVC_TEXT_88                                                                                                    \
    SVC_TEXT_48 ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71"     \
                ",%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87"
#define SVC_WARPGROUP(columns, results, type)                                                                          \
    asm volatile("{.reg .pred add; setp.eq.b32 add, 0, 0; wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." type  \
                 "." type " {" SVC_TEXT_##results "}, {%[a0],%[a1],%[a2],%[a3]}, %[b], add, 1, 1, 0;}"                 \
                 : SVC_Y_##results                                                                                     \
                 : [a0] "r"(a[0]), [a1] "r"(a[1]), [a2] "r"(a[2]), [a3] "r"(a[3]), [b] "l"(b))
#define SVC_WARPGROUP_PRODUCT(name, type)                                                                              \
    template <int Columns>                                                                                             \
    inline void name(float (&y)[Columns / 2], const uint32_t (&a)[4], uint64_t b) {                                    \
        static_assert(Columns == 48 || Columns == 96 || Columns == 176);                                               \
        if constexpr (Columns == 48) SVC_WARPGROUP(48, 24, type);                                                      \
        if constexpr (Columns == 96) SVC_WARPGROUP(96, 48, type);                                                      \
        if constexpr (Columns == 176) SVC_WARPGROUP(176, 88, type);                                                    \
    }
SVC_WARPGROUP_PRODUCT(warpgroup_bf16, "bf16")
SVC_WARPGROUP_PRODUCT(warpgroup_f16, "f16")
#undef SVC_WARPGROUP_PRODUCT
#undef SVC_WARPGROUP
#undef SVC_TEXT_88
#undef SVC_TEXT_48
#undef SVC_TEXT_24
#undef SVC_Y_88
#undef SVC_Y_48
#undef SVC_Y_24
#undef SVC_Y

} // namespace svc::cuda
