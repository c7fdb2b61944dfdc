// All kernels, by name. Compiled twice: by clang for CUDA to PTX, and with the SIMT model for tests without a GPU.
#include "cuda/kernels/adapter.h"
#include "cuda/kernels/cached_attention.h"
#include "cuda/kernels/flow.h"
#include "cuda/kernels/local_attention.h"
#include "cuda/kernels/prepare.h"
#include "cuda/kernels/rows.h"
#include "cuda/kernels/stream_product.h"
#include "cuda/kernels/text_peaks.h"
#include "cuda/kernels/tiled_product.h"
#include "cuda/kernels/vae.h"

using namespace svc::cuda;

// columns of a block in groups of 8
#define STREAM(format, name, groups, blocks)                                                                           \
    SVC_KERNEL(stream_##name##_##groups, ProductJob, 256, blocks) { stream_product<format, 2, groups, 8, false>(job); }
#define GATED_STREAM(format, name, groups, blocks)                                                                     \
    SVC_KERNEL(stream_##name##_gated_##groups, ProductJob, 256, blocks) {                                              \
        stream_product<format, 4, groups, 8, true>(job);                                                               \
    }
// the last: blocks that share a multiprocessor, as registers allow without spills
#define STREAMS(STREAM, format, name)                                                                                  \
    STREAM(format, name, 1, 2) STREAM(format, name, 2, 2) STREAM(format, name, 3, 1) STREAM(format, name, 4, 1)

// rows and columns of a block
#define TILED(format, name, rows, columns, blocks)                                                                     \
    SVC_KERNEL(tiled_##name##_##rows##_##columns, ProductJob, 256, blocks) {                                           \
        tiled_product<format, rows / 32, columns / 32, false>(job);                                                    \
    }
#define GATED_TILED(format, name, rows, columns, blocks)                                                               \
    SVC_KERNEL(tiled_##name##_gated_##rows##_##columns, ProductJob, 256, blocks) {                                     \
        tiled_product<format, rows / 32, columns / 32, true>(job);                                                     \
    }
#define TILEDS(TILED, format, name)                                                                                    \
    TILED(format, name, 64, 64, 2)                                                                                     \
    TILED(format, name, 64, 96, 1) TILED(format, name, 128, 96, 1) TILED(format, name, 128, 128, 1)

#define ATTENTION(format, name, head_dim)                                                                              \
    SVC_KERNEL(local_attention_##head_dim##_##name, LocalAttentionJob, 512, 1) {                                       \
        svc::cuda::local_attention<format, head_dim>(job);                                                             \
    }                                                                                                                  \
    SVC_KERNEL(cached_attention_##head_dim##_##name, CachedAttentionJob, 256, 2) {                                     \
        svc::cuda::cached_attention<format, head_dim>(job);                                                            \
    }
#define CACHE(head_dim)                                                                                                \
    SVC_KERNEL(store_kv_##head_dim, StoreKvJob, 128, 1) { svc::cuda::store_kv<head_dim>(job); }                        \
    SVC_KERNEL(text_peaks_##head_dim, TextPeaksJob, 32, 1) { svc::cuda::text_peaks<head_dim>(job); }                   \
    SVC_KERNEL(copy_rows_##head_dim, RowsJob, 128, 1) { svc::cuda::copy_rows<head_dim>(job); }
// these write or read columns of a format
#define COLUMNS(format, name)                                                                                          \
    ATTENTION(format, name, 64)                                                                                        \
    ATTENTION(format, name, 128)                                                                                       \
    SVC_KERNEL(prepare_##name, PrepareJob, 256, 2) { svc::cuda::prepare<format>(job); }                                \
    SVC_KERNEL(fuse_##name, FuseJob, 256, 2) { svc::cuda::fuse<format>(job); }                                         \
    SVC_KERNEL(adapter_##name, AdapterJob, 256, 2) { svc::cuda::adapter<format>(job); }                                \
    SVC_KERNEL(flow_input_##name, FlowJob, 256, 1) { svc::cuda::flow_input<format>(job); }

STREAMS(STREAM, Bytes, i8)
STREAMS(GATED_STREAM, Bytes, i8)
STREAMS(STREAM, Bfloats, bf16)
STREAMS(GATED_STREAM, Bfloats, bf16)
STREAMS(STREAM, Mixed, mixed)
STREAMS(GATED_STREAM, Mixed, mixed)
TILEDS(TILED, Bfloats, bf16)
TILEDS(GATED_TILED, Bfloats, bf16)
TILEDS(TILED, Mixed, mixed)
TILEDS(GATED_TILED, Mixed, mixed)
// of the audio VAE
STREAMS(STREAM, Halves, f16)
TILEDS(TILED, Halves, f16)
COLUMNS(Bytes, i8)
COLUMNS(Bfloats, bf16)
CACHE(64)
CACHE(128)
SVC_KERNEL(normalize, NormalizeJob, 256, 2) { svc::cuda::normalize(job); }
SVC_KERNEL(flow_end, FlowEndJob, 256, 1) { svc::cuda::flow_end(job); }
SVC_KERNEL(vae_windows, WindowsJob, 256, 2) { svc::cuda::windows(job); }
SVC_KERNEL(vae_depthwise, DepthwiseJob, 256, 2) { svc::cuda::depthwise(job); }
SVC_KERNEL(vae_samples, SamplesJob, 256, 2) { svc::cuda::samples(job); }
