// Jobs of the CPU kernels, and the kernel table of one instruction set. Plain data: this header is compiled for several
// instruction sets, so it must not use templates or inline functions of the standard library.
#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/packed.h"

namespace svc {

class Team;

// Columns of float32 values, `stride` floats apart.
struct Span {
    float * data = nullptr;
    size_t stride = 0;
};

// Activations as a product reads them: float32, bfloat16, or signed bytes with a scale and a sum per block of 32. For
// weights with an offset, the sum is multiplied by the negated offset.
struct Columns {
    const float * floats = nullptr;
    size_t stride = 0;
    int8_t * bytes = nullptr;
    float * scales = nullptr;
    int32_t * sums = nullptr;
    uint16_t * bfloats = nullptr; // stride: pairs_stride()
    int32_t * i8_sums = nullptr;  // null, or as `sums` for a weight of kind i8: adapters share the bytes
};

// A low-rank update of a product: `a` stacks the first factors of all parts; for each part, the output rows from `row`
// gain b times the rows of a · x from `first`.
struct LowRank {
    struct Part {
        Packed b;
        int row, first;
    };
    Packed a; // i8 if the weight of the product is quantized
    Part parts[3];
    int count = 0;
};
// Consecutive columns of a product that use the same adapter.
struct AdaptedColumns {
    const LowRank * updates; // of a stack: two per layer, for qkv and o
    float weight;
    int first, count;
};
struct Adapted {
    const AdaptedColumns * runs = nullptr;
    int count = 0;
};

// One layer of a MiniCPM-4 stack.
struct LayerWeights {
    Packed qkv, o, gate_up, down; // gate_up interleaved
    const float * attention_norm;
    const float * ffn_norm;
};

struct StackWeights {
    const LayerWeights * layers = nullptr;
    int layer_count = 0;
    int hidden = 0, ffn = 0, heads = 0, kv_heads = 0, head_dim = 0;
    float eps = 0, residual_scale = 1;
    const float * output_norm = nullptr;
    bool rope = true;
};

// Scratch memory of a stack for a number of columns.
struct StackScratch {
    Span x, qkv, attended;
    Span ffn; // at least a block of 32 rows per member
    // sized for the longest input of a product
    float * normed = nullptr;
    int8_t * bytes = nullptr;
    float * scales = nullptr;
    int32_t * sums = nullptr;
    int32_t * i8_sums = nullptr;
    Span low; // with adapters: a · x
    // output of the gated product, whose input the fields above hold
    Columns gated;
    float * scores = nullptr; // score_stride per member
    size_t score_stride = 0;
    float * rotation = nullptr; // per column: cos and sin of head_dim / 2 angles
};

// Bidirectional attention within `sequences` sequences of `length` columns; scratch.x holds the input. The normed
// hidden states of `count` columns from `first` of each sequence go to `out`.
struct LocalJob {
    const StackWeights * weights;
    StackScratch * scratch;
    int length, sequences, first, count;
    Span out;
    Adapted adapted, last_adapted; // columns of all layers; of the last layer after its keys and values
};

// Causal attention over caches; scratch.x holds the input.
struct CachedColumn {
    int segment;  // index of its caches
    int position; // its row in the cache, and the last row it attends to
};
// Reports where the heads look in a range of cells; nothing if it is empty.
struct Watch {
    int column;       // whose attention is reported
    int first, count; // cells
    float * peaks;    // [layer · heads + head]: see peak_of()
};
struct CachedJob {
    const StackWeights * weights;
    StackScratch * scratch;
    int columns;
    const CachedColumn * column;
    // [layer · segments + segment]: rows of head_dim · kv_heads floats
    float * const * keys;
    float * const * values;
    int segments;
    // Ascending: the columns whose normed hidden states go to `out`. If empty, the last layer only fills its cache.
    const int * wanted;
    int wanted_count;
    Span out;
    const Watch * watches;  // per segment
    float ** layer_outputs; // null, or the residual stream after each layer, columns · hidden
    Adapted adapted, last_adapted; // as in LocalJob
};

// y = weight · x, optionally gated or added to a residual
struct ProductJob {
    const Packed * weight;
    Columns x;
    int columns;
    Span out;
    const float * bias = nullptr;     // rows
    const float * residual = nullptr; // as out: out = residual + residual_scale · y
    size_t residual_stride = 0;
    float residual_scale = 1;
    bool swiglu = false;              // interleaved gate and up: out = silu(gate) · up
    // With swiglu and a multiple of 32 output rows: if these columns have bytes, the result goes there, quantized for a
    // weight of kind `gated_for`; `out` is scratch of 32 rows, and tiles are processed in fours.
    Columns gated;
    PackedKind gated_for = PackedKind::i8;
    Adapted adapted;  // without swiglu
    int update = 0;   // index of AdaptedColumns::updates
    Span low;         // scratch: a column of a · x per column
};

// Flow matching of `sessions` patches with guidance; see model/flow_matching.h.
struct FlowCall {
    float step;
    const float * time; // dit hidden values
};
struct FlowJob {
    const StackWeights * dit;
    StackScratch * scratch;
    Packed in_proj, cond_proj, out_proj;
    const float *in_bias, *cond_bias, *out_bias;
    const FlowCall * calls;
    int call_count;
    bool zero_star;
    int sessions, patch_size, feature_dim, mu_tokens;
    const float * noise; // sessions · patch_size · feature_dim
    const float * mu;    // sessions · mu_tokens · hidden
    const float * cond;  // as noise
    const float * cfg;   // sessions
    float * out;         // as noise
    Adapted adapted, last_adapted; // as in LocalJob
    // scratch: projected cond (sessions · patch_size columns); normed output and velocity of both branches
    Span cond_hidden, hidden, velocity;
};

// x + sin²(alpha · x) · reciprocal for frames of `channels` values.
struct SnakeJob {
    int channels, frames;
    const float *x, *alpha, *reciprocal;
    float * out;
};

// Snake, depthwise convolution of kernel size 7 with carried context, Snake. `state` holds the 6 · dilation frames
// before x (after the first Snake) and is updated for the next chunk.
struct SnakeDepthwiseJob {
    int channels, frames, dilation; // dilation up to 9
    const float *x, *alpha, *reciprocal, *bias, *next_alpha, *next_reciprocal;
    const float * taps[7];
    float *state, *out;
};

// All members of a team call these together.
struct KernelSet {
    const char * name;
    bool bf16_pairs; // whether bf16_pairs products are available
    // Fills columns [first, last) of `out` from x, RMS-normed by `norm` unless null.
    void (*prepare)(PackedKind kind, const float * x, size_t stride, int depth, const float * norm, float eps, const Columns & out, int first, int last);
    void (*product)(const ProductJob & job, int first_tile, int last_tile);
    // Adds the updates of the adapters to a product whose members have computed it; see lora.inc.
    void (*adapt)(const ProductJob & job, Team & team, int member);
    void (*local_stack)(const LocalJob & job, Team & team, int member);
    void (*cached_stack)(const CachedJob & job, Team & team, int member);
    void (*flow)(const FlowJob & job, Team & team, int member);
    void (*snake)(const SnakeJob & job, Team & team, int member);
    void (*snake_depthwise)(const SnakeDepthwiseJob & job, Team & team, int member);
};

// The kernels with this name, or for null the best for this processor; null if the processor cannot run them.
const KernelSet * find_kernels(const char * name);

} // namespace svc
