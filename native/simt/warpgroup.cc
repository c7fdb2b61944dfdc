// Products of warpgroups: what each thread has under way.
#include "cuda/simt/warpgroup.h"

#include <algorithm>
#include <limits>
#include <deque>
#include <map>
#include <vector>

#include "simt/blocks.h"

namespace svc::cuda::model {
namespace {

// What products add to, while they are under way.
struct Awaited {
    std::vector<float> values;
    int products = 0;
};

struct Underway {
    std::vector<std::vector<WarpgroupProduct>> groups; // committed, oldest first
    std::vector<WarpgroupProduct> open;
    std::map<float *, Awaited> results;
    bool fenced = false;
};

// Of the block that runs, as it is alone in the process.
Underway & of_thread() {
    static std::deque<Underway> all; // references stay valid
    const size_t index = static_cast<size_t>(place.thread);
    if (all.size() <= index) all.resize(index + 1);
    return all[index];
}

struct WarpgroupLane {
    WarpgroupProduct product;
    float * values;
};

// The rows of a warp by all columns, from the fragments of mma_bf16.
void multiply_columns(const void * inputs, void *) {
    const auto * in = static_cast<const WarpgroupLane *>(inputs);
    const auto [y, ignored, b, columns, widen] = in[0].product;
    constexpr int depth = 16;
    float a[16][depth];
    for (int lane = 0; lane < 32; lane++) {
        for (int r = 0; r < 4; r++) {
            for (int i = 0; i < 2; i++)
                a[lane / 4 + r % 2 * 8][lane % 4 * 2 + r / 2 * 8 + i] =
                    widen(in[lane].product.a[r] >> (16 * i) & 0xffff);
        }
    }
    const size_t start = static_cast<size_t>(b) << 4;
    for (int column = 0; column < columns; column++) {
        float x[depth];
        for (int k = 0; k < depth; k++) {
            // the unit exchanges bits of the address
            const size_t plain = start + static_cast<size_t>(column) * 64 + k * 2, at = plain ^ (plain >> 7 & 3) << 4;
            if (at + 2 > shared_bytes()) refuse("a product leaves shared memory", "columns");
            uint16_t bits;
            std::memcpy(&bits, shared_memory() + at, 2);
            x[k] = widen(bits);
        }
        for (int row = 0; row < 16; row++) {
            float & sum = in[row % 8 * 4 + column % 8 / 2].values[column / 8 * 4 + row / 8 * 2 + column % 2];
            for (int k = 0; k < depth; k++) sum += a[row][k] * x[k];
        }
    }
}

} // namespace

void fence_products() { of_thread().fenced = true; }

void defer_product(const WarpgroupProduct & product) {
    Underway & own = of_thread();
    if (!own.fenced) refuse("a product is not behind a fence", "warpgroup");
    if (product.b % 2 != 0) refuse("columns of a product are not aligned", "warpgroup");
    Awaited & results = own.results[product.y];
    if (results.products++ == 0) {
        results.values.assign(product.y, product.y + product.columns / 2);
        std::fill_n(product.y, product.columns / 2, std::numeric_limits<float>::quiet_NaN());
    }
    own.open.push_back(product);
}

void commit_products() {
    Underway & own = of_thread();
    own.groups.push_back(std::move(own.open));
    own.open.clear();
    own.fenced = false;
}

void wait_products(int pending) {
    Underway & own = of_thread();
    while (own.groups.size() > static_cast<size_t>(pending)) {
        const std::vector<WarpgroupProduct> group = std::move(own.groups.front());
        own.groups.erase(own.groups.begin());
        for (const WarpgroupProduct & product : group) {
            Awaited & results = own.results.at(product.y);
            const WarpgroupLane lane{product, results.values.data()};
            if (!copies_are_fenced()) refuse("a product reads copies without a fence", "warpgroup");
            together("products of a warpgroup", multiply_columns, &lane, sizeof(lane), nullptr, 0);
            if (--results.products > 0) continue;
            std::copy(results.values.begin(), results.values.end(), product.y);
            own.results.erase(product.y);
        }
    }
    own.fenced = false;
}

bool products_are_awaited() { return of_thread().groups.empty() && of_thread().open.empty(); }

} // namespace svc::cuda::model
