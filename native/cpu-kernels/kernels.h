// Jobs of the CPU kernels, and the kernel table of one instruction set. Plain data: this header is compiled for several
// instruction sets, so it must not use templates or inline functions of the standard library.
#pragma once
#include <cstddef>
#include <cstdint>

#include "cpu-kernels/layer.h"

namespace svc {

struct Member;

// Columns of float32 values, `stride` floats apart.
struct Span {
    float * data = nullptr;
    size_t stride = 0;
};

// Activations as a product reads them: float32, bfloat16, or signed bytes with a scale and a sum per block of 32. For
// weights with an offset, the sum is multiplied by the negated offset; for weights with minima, it is a float32,
// multiplied by the scale.
struct Columns {
    const float * floats = nullptr;
    size_t stride = 0;
    int8_t * bytes = nullptr;
    float * scales = nullptr;
    int32_t * sums = nullptr;
    uint16_t * bfloats = nullptr; // stride: pairs_stride()
    int32_t * i8_sums = nullptr;  // null, or as `sums` for a weight of kind i8: adapters share the bytes
    // null, or per block the sum of the squares of the column before its multiplication by the weights of an RMS norm: a
    // product then divides by the root mean square
    float * squares = nullptr;
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

// Scratch memory of a stack for a number of columns.
struct StackScratch {
    Span x, qkv, attended;
    Span ffn; // at least a block of 32 rows per member
    // Inputs of products, in turn: `normed` x, which qkv and the gated product read; outputs of attention and of the
    // gated product, which o and down read. Sized for the longest.
    Columns normed, inner;
    Span low;                  // with adapters: a · x
    float * factors = nullptr; // per member, as many as there are columns: see ProductJob
    // attention_stride per member: attention_floats(), then the weights of the reported cells
    float * attention = nullptr;
    size_t attention_stride = 0;
    float * rotation = nullptr; // per column: cos and sin of head_dim / 2 angles
};

// Keys are stored in blocks of so many positions, each [kv_heads · head_dim][key_block], so that attention reads neighboring
// positions as one vector. Values are rows of kv_heads · head_dim.
constexpr int key_block = 32;
// Neighboring columns of a sequence that attend to keys and values together.
struct ColumnGroup {
    int first = 0, count = 0;
};
constexpr int most_grouped_columns = 8;
// Queries that attend at once, and the scratch memory for them, in floats.
constexpr int most_queries = 64;
constexpr size_t attention_floats(int head_dim) { return static_cast<size_t>(most_queries) * (head_dim + 32); }

// A column of the input of a stack.
struct StackColumn {
    int sequence = 0; // whose keys and values it adds to and attends to
    int position = 0; // its row among them
    int seen = 0;     // attends to so many of them from the first: causally position + 1, else all
};
// A range of cells in which the peak of each head's attention is reported; none if it is empty.
struct PeakRange {
    int column = 0;           // whose attention is reported
    int first = 0, count = 0; // cells
    float * peaks = nullptr;  // [layer · heads + head]: see peak_of()
};
// The layers of a stack; scratch.x holds the input.
struct StackJob {
    const StackWeights * weights = nullptr;
    StackScratch * scratch = nullptr;
    int columns = 0;
    const StackColumn * column = nullptr; // neighbors in a sequence see no fewer rows than those before
    int longest = 0;                      // no column attends to more positions
    // [layer · sequences + sequence]: see key_block
    float * const * keys = nullptr;
    float * const * values = nullptr;
    int sequences = 0;
    // Ascending: the columns whose normed hidden states go to `out`. If empty, the last layer only adds keys and values.
    const int * wanted = nullptr;
    int wanted_count = 0;
    Span out = {};
    // of all columns, and of the wanted ones (indices of `wanted`)
    const ColumnGroup *groups = nullptr, *wanted_groups = nullptr;
    int group_count = 0, wanted_group_count = 0;
    const PeakRange * peak_ranges = nullptr; // per sequence
    float ** layer_outputs = nullptr;        // null, or the residual stream after each layer, columns · hidden
    // columns of all layers; of the last layer after its keys and values
    Adapted adapted = {}, last_adapted = {};
};

// y = weight · x, optionally gated or added to a residual
struct ProductJob {
    const Packed * weight = nullptr;
    Columns x = {};
    int columns = 0;
    Span out = {};
    const float * bias = nullptr; // rows
    // If x.squares: the epsilon of the RMS norm, and scratch of this member, one value per column.
    float eps = 0;
    float * factors = nullptr;
    const float * residual = nullptr; // as out: out = residual + residual_scale · y
    size_t residual_stride = 0;
    float residual_scale = 1;
    bool swiglu = false; // interleaved gate and up: out = silu(gate) · up
    // With swiglu and a multiple of 32 output rows: if these columns have bytes, the result goes there, quantized for a
    // weight of kind `gated_for`; `out` is scratch of 32 rows per member.
    Columns gated = {};
    PackedKind gated_for = PackedKind::i8;
    Adapted adapted = {}; // without swiglu
    int update = 0;       // index of AdaptedColumns::updates
    Span low = {};        // scratch: a column of a · x per column
};

// Flow matching of `sessions` patches with guidance; see model/flow_matching.h.
struct FlowCall {
    float step;
    const float * time; // dit hidden values
};
struct FlowJob {
    StackJob dit = {}; // of the sequences of both branches
    Packed in_proj = {}, cond_proj = {}, out_proj = {};
    const float *in_bias = nullptr, *cond_bias = nullptr, *out_bias = nullptr;
    const FlowCall * calls = nullptr;
    int call_count = 0;
    bool zero_star = false;
    int sessions = 0, patch_size = 0, feature_dim = 0, mu_tokens = 0;
    const float * noise = nullptr; // sessions · patch_size · feature_dim
    const float * mu = nullptr;    // sessions · mu_tokens · hidden
    const float * cond = nullptr;  // as noise
    const float * cfg = nullptr;   // sessions
    float * out = nullptr;         // as noise
    // scratch: projected cond (sessions · patch_size columns); normed output and velocity of both branches
    Span cond_hidden = {}, hidden = {}, velocity = {};
};

// x + sin²(alpha · x) · reciprocal for frames of `channels` values.
struct SnakeJob {
    int channels = 0, frames = 0;
    const float *x = nullptr, *alpha = nullptr, *reciprocal = nullptr;
    float * out = nullptr;
};

// Snake, depthwise convolution of kernel size 7 with carried context, Snake. `state` holds the 6 · dilation frames
// before x (after the first Snake) and is updated for the next chunk.
struct SnakeDepthwiseJob {
    int channels = 0, frames = 0, dilation = 0; // dilation up to 9
    const float *x = nullptr, *alpha = nullptr, *reciprocal = nullptr, *bias = nullptr, *next_alpha = nullptr,
                *next_reciprocal = nullptr;
    const float * taps[7] = {};
    float *state = nullptr, *out = nullptr;
};

// The least number of columns of a product with int8 and with int4 weights that is computed in tile registers; fewer are in
// vectors, with the same results, from the same packed weights. A process may measure them, at any time.
struct TileLimits {
    int bytes = 8, nibbles = 32;
};
extern TileLimits tile_limits;

// All members of a team call these together.
struct KernelSet {
    const char * name;
    bool bf16_pairs; // whether bf16_pairs products are available
    bool tiles;      // whether tile_limits has an effect
    // Fills columns [first, last) of `out` from x. With the weights of an RMS norm: see Columns::squares.
    void (*prepare)(
        PackedKind kind, const float * x, size_t stride, int depth, const float * norm, const Columns & out, int first,
        int last
    );
    void (*multiply)(const ProductJob & job, Member & member);
    void (*stack)(const StackJob & job, Member & member);
    void (*flow)(const FlowJob & job, Member & member);
    void (*snake)(const SnakeJob & job, Member & member);
    void (*snake_depthwise)(const SnakeDepthwiseJob * jobs, int count, Member & member);
    bool slow_bytes; // whether products of bytes are slower than those of nibbles
    ByteOrder byte_order;
};

// The kernels with this name, or for null the best for this processor; null if the addon has none that it can run.
const KernelSet * find_kernels(const char * name);
// For tests: other kernels that can be had by their name.
void add_kernels(const KernelSet & kernels);

} // namespace svc
