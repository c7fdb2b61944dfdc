#include "cuda/adapters.h"

#include <algorithm>
#include <map>

#include "runtime/error.h"

namespace svc::cuda {

CudaAdapter::CudaAdapter(Device & device, const Network & network, const std::vector<LoraUpdate> & updates, float scale)
    : arena_(device) {
    std::map<std::string, const LoraUpdate *> by_target;
    for (const LoraUpdate & update : updates) by_target[update.target] = &update;
    std::vector<AdapterFactors> products;
    for (const Target & target : network.targets) {
        int rank = 0;
        for (const std::string & name : target.names) {
            const auto found = by_target.find(name);
            if (found != by_target.end()) rank += found->second->rank;
        }
        if (rank > most_adapter_rank)
            fail(
                "MODEL_INVALID", "the ranks of \"", target.names.front(), "\" and others add up to ", rank,
                ", at most ", most_adapter_rank
            );
        AdapterFactors & factors = products.emplace_back();
        if (rank == 0) continue;
        std::vector<float> a(static_cast<size_t>(rank) * target.padded_depth),
            b(static_cast<size_t>(rank) * target.padded_rows);
        int first_rank = 0, first_row = 0;
        for (size_t m = 0; m < target.names.size(); m++) {
            const auto found = by_target.find(target.names[m]);
            if (found != by_target.end()) {
                const LoraUpdate & update = *found->second;
                for (int r = 0; r < update.rank; r++) {
                    float * to_a = a.data() + static_cast<size_t>(first_rank + r) * target.padded_depth;
                    for (int k = 0; k < target.depth; k++)
                        to_a[target.depth_places[k]] = update.a[static_cast<size_t>(r) * target.depth + k];
                    float * to_b = b.data() + static_cast<size_t>(first_rank + r) * target.padded_rows;
                    for (int row = 0; row < target.rows[m]; row++)
                        to_b[target.row_places[first_row + row]] =
                            update.b[static_cast<size_t>(row) * update.rank + r] * scale;
                }
                first_rank += update.rank;
            }
            first_row += target.rows[m];
        }
        factors = {arena_.copy(a), arena_.copy(b), rank};
    }
    factors_ = arena_.copy(products);
}

} // namespace svc::cuda
