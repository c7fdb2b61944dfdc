// Products shared by the members of a team, with low-rank updates by adapters: y += weight · b · (a · x) for each run of
// columns with the same adapter. The product itself is shared by all columns, whatever their adapters.
namespace svc {
namespace SVC_ISA {

// Fewer columns than this are not divided: each part reads the weights again.
inline int fewest_columns(const Packed & weight) { return uses_tiles(weight) ? 2 * column_group : 5; }
// Parts consist of whole multiples of so many columns.
inline int column_unit(const Packed & weight) { return uses_tiles(weight) ? column_group : SVC_COLUMN_UNIT; }

inline int at_most(int value, int limit) { return value < limit ? value : limit; }
inline int at_least(int value, int limit) { return value > limit ? value : limit; }

inline int blocks_of(const Packed & weight) { return (weight.tiles + 1) / 2; }

// Block `unit` of a · x of all runs.
inline void lora_down(Member & member, const ProductJob & job, int unit) {
    for (int i = 0; i < job.adapted.count; i++) {
        const AdaptedColumns & run = job.adapted.runs[i];
        const LowRank & update = run.updates[job.update];
        const int blocks = update.count > 0 ? blocks_of(update.a) : 0;
        if (unit >= blocks) {
            unit -= blocks;
            continue;
        }
        ProductJob low{.weight = &update.a, .x = job.x, .out = job.low, .factors = job.factors};
        low.x.sums = job.x.i8_sums;
        return product_block(member, low, unit, run.first, run.first + run.count);
    }
}

// Adds block `unit` of weight · b · low of all runs to the finished product.
inline void lora_up(Member & member, const ProductJob & job, int unit) {
    for (int i = 0; i < job.adapted.count; i++) {
        const AdaptedColumns & run = job.adapted.runs[i];
        const LowRank & update = run.updates[job.update];
        for (int p = 0; p < update.count; p++) {
            const LowRank::Part & part = update.parts[p];
            const int blocks = blocks_of(part.b);
            if (unit >= blocks) {
                unit -= blocks;
                continue;
            }
            const Span out{job.out.data + run.first * job.out.stride + part.row, job.out.stride};
            const ProductJob add{
                .weight = &part.b,
                .x = {.floats = job.low.data + run.first * job.low.stride + part.first, .stride = job.low.stride},
                .out = out,
                .residual = out.data,
                .residual_stride = out.stride,
                .residual_scale = job.residual ? job.residual_scale * run.weight : run.weight,
            };
            return product_block(member, add, unit, 0, run.count);
        }
    }
}

struct NoFinish {
    void operator()(int, int, int, int) const {}
};

// weight · job.x. Calls finish(first row, last row, first column, last column) for parts of the output, which consist of
// whole multiples of `step` blocks, as soon as they are there.
template <typename Finish = NoFinish>
inline void multiply(Member & member, const ProductJob & job, int step = 1, const Finish & finish = {}) {
    int downs = 0, ups = 0;
    for (int i = 0; i < job.adapted.count; i++) {
        const LowRank & update = job.adapted.runs[i].updates[job.update];
        if (update.count > 0) downs += blocks_of(update.a);
        for (int p = 0; p < update.count; p++) ups += blocks_of(update.parts[p].b);
    }
    const int together = tiles_together(job), blocks = (job.weight->tiles + together - 1) / together,
              most = units_per_member * member.size;
    const int chunk = at_least(blocks / step / most, 1) * step, chunks = (blocks + chunk - 1) / chunk;
    const int parts = at_least(at_most(most / chunks, job.columns / fewest_columns(*job.weight)), 1);
    const int unit_columns = column_unit(*job.weight), rows = job.swiglu ? job.weight->rows / 2 : job.weight->rows;
    bool factored = job.factors == nullptr;
    share(member, chunks * parts + downs, [&](int unit) {
        // not before a unit is taken: a member that comes too late must not read what others write by then
        for (int c = 0; !factored && c < job.columns; c++) {
            job.factors[c] = norm_factor(
                job.x.squares + static_cast<size_t>(c) * job.weight->blocks, job.weight->blocks, job.weight->depth,
                job.eps
            );
        }
        factored = true;
        if (unit >= chunks * parts) return lora_down(member, job, unit - chunks * parts);
        const int first = unit / parts * chunk, last = at_most(first + chunk, blocks), part = unit % parts;
        const int begin = group_start(job.columns, part, parts, unit_columns),
                  end = group_start(job.columns, part + 1, parts, unit_columns);
        for (int b = first; b < last; b++) product_block(member, job, b, begin, end);
        if (downs == 0) finish(first * block_depth, at_most(last * block_depth, rows), begin, end);
    });
    if (downs == 0) return;
    share(member, ups, [&](int unit) { lora_up(member, job, unit); });
    share_range(member, job.columns, [&](int begin, int end) { finish(0, rows, begin, end); });
}

inline void multiply_job(const ProductJob & job, Member & member) {
    multiply(member, job);
    release_tiles(member);
}

} // namespace SVC_ISA
} // namespace svc
