// What a device must do for a piece of work, at least: what bounds its time.
#pragma once

namespace svc::cuda {

struct Cost {
    double launches = 0;
    double weight_bytes = 0; // of matrices, once for each launch that multiplies by them
    double bytes = 0;        // read and written: weights, activations, keys and values
    double operations =
        0; // multiplications and additions in bfloat16; those of bytes count half, as cards do twice as many

    Cost & operator+=(const Cost & other) {
        launches += other.launches;
        weight_bytes += other.weight_bytes;
        bytes += other.bytes;
        operations += other.operations;
        return *this;
    }
    Cost operator-(const Cost & other) const {
        return {
            launches - other.launches, weight_bytes - other.weight_bytes, bytes - other.bytes,
            operations - other.operations
        };
    }
};

} // namespace svc::cuda
