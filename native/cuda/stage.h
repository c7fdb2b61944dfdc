// Launches of a part of the network for a fixed number of columns, with the memory between its kernels.
#pragma once
#include <functional>
#include <string>

#include "cuda/cost.h"
#include "cuda/network.h"
#include "cuda/kernels/adapter.h"
#include "cuda/kernels/cached_attention.h"
#include "cuda/kernels/stream_product.h"

namespace svc::cuda {

// Adapters of the streams of a batch, in device memory.
struct BatchAdapters {
    const AdapterFactors * const * adapters = nullptr; // [stream]; null: this batch has none
    const float * weights = nullptr;
    int streams = 1;
};

// The keys and values of the columns of a batch, in device memory.
struct BatchCache {
    KvPages pages = {};
    const int * slots = nullptr;     // [column]
    const int * positions = nullptr; // [column]
    bool stored = false;             // see CachedAttentionJob
    const int * text = nullptr;      // see TextPeaksJob; null: no peaks
    float * peaks = nullptr;
};

// Counts what launches cost, and chooses the kernels of products.
class Launcher {
public:
    // Called with what is compared with reference values: rows of `width` values, `stride` apart. Not while recording.
    using Tap = std::function<void(const std::string & name, const float * from, int rows, int width, int stride)>;
    void tap(Tap tap) { tap_ = std::move(tap); }
    // Of all launches so far, without what depends on their inputs: attention to earlier positions, adapters.
    const Cost & cost() const { return cost_; }

protected:
    Launcher(Device & device, Queue & queue) : device_(device), queue_(queue), arena_(device) {}

    float * floats(size_t count) { return arena_.array<float>(count); }
    // `bytes`: read and written.
    template <typename Job>
    void launch(const std::string & kernel, Grid grid, int threads, size_t shared, const Job & job, double bytes) {
        cost_ += {.launches = 1, .bytes = bytes};
        queue_.launch(kernel, grid, threads, shared, job);
    }
    void launch_product(Format format, ProductJob & job, bool gated);

    Device & device_;
    Queue & queue_;
    Arena arena_;
    Tap tap_;

private:
    Cost cost_;
};

// Bytes of values of columns: as floats, and as the input of a product, with the scales of bytes.
inline double float_bytes(double columns, double depth) { return 4 * columns * depth; }
inline double column_bytes(Format format, double columns, double depth) {
    return columns * depth * (block_bytes(format) + (byte_columns(format) ? 4 : 0)) / block_depth;
}

class Stage : public Launcher {
protected:
    // `columns`: the most of any product.
    Stage(Device & device, Queue & queue, const Network & network, int columns);

    // Memory of a stack: its residual stream, and the inputs of its products.
    struct Scratch {
        float * x = nullptr;
        Columns input = {}, normed = {}, attended = {}, gated = {};
        float * qkv = nullptr;
    };
    // Which columns of a stack leave it: `count`, multiplied by the output norm, in `normed` of the scratch.
    struct Picked {
        ColumnMap map = {};
        int count = 0;
    };

    Columns columns(int count, int depth, bool squares = false);
    Scratch scratch(const StackShape & shape, int columns);
    // Kernels with the format of this stage's columns in their names.
    template <typename Job>
    void launch_columns(
        const std::string & kernel, Grid grid, int threads, size_t shared, const Job & job, double bytes
    ) {
        launch(kernel + "_" + column_name(format_), grid, threads, shared, job, bytes);
    }
    // Bytes of columns that a kernel turns from floats into the input of a product.
    double converted(double columns, double depth) const {
        return float_bytes(columns, depth) + column_bytes(format_, columns, depth);
    }
    // A warp for 128 values of a column.
    static Grid by_values(int width, int columns) { return {(width + 127) / 128, (columns + 7) / 8, 1}; }
    void product(const Linear & linear, const Columns & x, int columns, const Finish & finish, ColumnMap from = {});
    void gated_product(const Linear & linear, const Columns & x, int columns, const Finish & finish, ColumnMap from);
    Finish to_floats(const Linear & linear, float * out, int stride) const;

    // The layers of a stack. s.input holds its columns for products, x_in (or s.x) as floats.
    void local_stack(
        const Stack & stack, Scratch & s, const float * x_in, int sequences, int length, const Picked & picked
    );
    // `last`: whether anything but the keys and values of the last layer is wanted.
    void cached_stack(
        const Stack & stack, Scratch & s, const float * x_in, int columns, const BatchCache & cache, int first_layer,
        bool last = true
    );

    const Network & network_;
    const Format format_;
    BatchAdapters adapters_;
    int each_ = 1; // columns of a stream, as adapters are chosen

private:
    void adapted_product(const Linear & linear, ProductJob job, bool gated);
    // Without keys and values of earlier positions.
    double attention_bytes(const StackShape & shape, double columns) const;
    template <typename Attention>
    void layer(
        const Stack & stack, size_t index, Scratch & s, const float * x_in, int columns, const Picked & picked,
        const Attention & attention
    );
    void cached_attention(
        const Stack & stack, Scratch & s, int columns, const BatchCache & cache, int layer, bool attends
    );

    float * additions_ = nullptr; // [column][rows of the product]
    float * parts_ = nullptr;
    int * arrived_ = nullptr;
    int splits_ = 1;
    int columns_ = 0;
};

} // namespace svc::cuda
