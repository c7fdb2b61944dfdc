#include "model/description/adapter.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "runtime/error.h"

namespace svc {
namespace {

constexpr int max_rank = 4096;

void add_stack(
    std::vector<AdapterTarget> & targets, const std::string & official, const std::string & prefix,
    const TransformerConfig & config
) {
    const int64_t hidden = config.hidden, queries = static_cast<int64_t>(config.heads) * config.head_dim,
                  keys = static_cast<int64_t>(config.kv_heads) * config.head_dim;
    for (int i = 0; i < config.layers; i++) {
        const std::string target = official + "layers." + std::to_string(i) + ".self_attn.",
                          name = prefix + "blk." + std::to_string(i) + ".";
        targets.push_back({target + "q_proj", name + "attn_q", hidden, queries});
        targets.push_back({target + "k_proj", name + "attn_k", hidden, keys});
        targets.push_back({target + "v_proj", name + "attn_v", hidden, keys});
        targets.push_back({target + "o_proj", name + "attn_output", queries, hidden});
    }
}

bool is_finite(const std::vector<float> & values, float scale = 1) {
    return std::all_of(values.begin(), values.end(), [scale](float value) { return std::isfinite(value * scale); });
}

void check_factor(
    const LoraUpdate & update, const char * name, const std::vector<float> & values, int64_t rows, int64_t columns
) {
    const int64_t count = static_cast<int64_t>(values.size());
    if (count != rows * columns) {
        // one of the dimensions is the rank
        const int64_t other = count / update.rank;
        std::ostringstream shape;
        if (count % update.rank != 0) shape << count << " values";
        else if (rows == update.rank) shape << rows << "×" << other;
        else shape << other << "×" << columns;
        fail("MODEL_INVALID", name, " of \"", update.target, "\" is ", shape.str(), ", expected ", rows, "×", columns);
    }
    if (!is_finite(values)) fail("MODEL_INVALID", name, " of \"", update.target, "\" contains infinity or NaN");
}

void check_update(const LoraUpdate & update, const AdapterTarget & target, float scale) {
    check_factor(update, "lora_A", update.a, update.rank, target.in);
    check_factor(update, "lora_B", update.b, target.out, update.rank);
    if (!is_finite(update.b, scale))
        fail("MODEL_INVALID", "lora_B of \"", update.target, "\" times alpha / rank is too large for float32");
}

} // namespace

std::vector<AdapterTarget> adapter_targets(const Config & config) {
    std::vector<AdapterTarget> targets;
    add_stack(targets, "base_lm.", "", config.base_lm);
    add_stack(targets, "residual_lm.", "residual_lm.", config.residual_lm);
    add_stack(targets, "feat_decoder.estimator.decoder.", "locdit.", config.local_dit);
    const int64_t hidden = config.base_lm.hidden, dit = config.local_dit.hidden;
    targets.push_back({"enc_to_lm_proj", "proj.enc_to_lm", config.local_encoder.hidden, hidden});
    targets.push_back({"lm_to_dit_proj", "proj.lm_to_dit", hidden, dit});
    targets.push_back({"res_to_dit_proj", "proj.res_to_dit", hidden, dit});
    if (config.v2) targets.push_back({"fusion_concat_proj", "proj.fusion_concat", 2 * hidden, hidden});
    return targets;
}

void check_adapter(const Config & config, const std::vector<LoraUpdate> & updates, float scale) {
    if (!std::isfinite(scale)) fail("MODEL_INVALID", "the scale of the adapter must be a finite number, got ", scale);
    if (updates.empty()) fail("MODEL_INVALID", "the adapter has no matrices");
    std::map<std::string, const LoraUpdate *> left;
    for (const LoraUpdate & update : updates) {
        if (!left.emplace(update.target, &update).second)
            fail("MODEL_INVALID", "the adapter has \"", update.target, "\" twice");
        if (update.rank < 1 || update.rank > max_rank)
            fail(
                "MODEL_INVALID", "the rank of \"", update.target, "\" must be from 1 to ", max_rank, ", got ",
                update.rank
            );
    }
    for (const AdapterTarget & target : adapter_targets(config)) {
        const auto found = left.find(target.target);
        if (found == left.end()) continue;
        check_update(*found->second, target, scale);
        left.erase(found);
    }
    if (!left.empty()) {
        fail(
            "MODEL_INVALID", "the model cannot speak with an adapter of \"", left.begin()->first,
            "\" (supported: q_proj, k_proj, v_proj and o_proj of its language models and of feat_decoder, and its "
            "projections); merge the adapter with 'svc export --lora'"
        );
    }
}

} // namespace svc
