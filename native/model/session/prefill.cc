#include "model/session/prefill.h"

#include <algorithm>

namespace svc {
namespace {

// Positions left to the first step: as many as share its pass over the weights without delaying the other sessions much.
// A few more are left too, as they alone aren't worth a pass.
constexpr int usual_kept = 64;

} // namespace

Prefill::Prefill(const Config & config, Executor & executor, VoiceMemory & memory, Session & session, Prefix prefix)
    : config_(config), executor_(executor), memory_(memory), session_(session), prefix_(std::move(prefix)),
      embedding_(memory.begin_embedding(prefix_.features, session.adapter)) {
    std::span<const float> previous;
    if (prefix_.audio.back() == 1) previous = std::span(prefix_.features).last(config.patch_values());
    // room for a short utterance; steps make more
    session.memory = executor.open(static_cast<int>(prefix_.tokens.size()) + 64, previous);
}

bool Prefill::advance() {
    if (memory_.embed(embedding_)) return false;
    if (!positions_begun_) begin_positions();
    const int total = static_cast<int>(prefix_.tokens.size());
    if (next_ < total) run_chunk(std::min(total, next_ + executor_.prefill_positions()));
    if (next_ < total) return false;
    memory_.remember(prefix_, session_, known_, session_.rows);
    return true;
}

void Prefill::run_chunk(int end) {
    const auto part = [&](const auto & values) { return std::span(values).subspan(next_, end - next_); };
    const size_t patches = std::count(prefix_.audio.begin() + next_, prefix_.audio.begin() + end, 1),
                 width = config_.base_lm.hidden;
    executor_.prefill(
        *session_.memory,
        {
            .first = next_,
            .rows = session_.rows,
            .tokens = part(prefix_.tokens),
            .audio = part(prefix_.audio),
            .embeddings = std::span(embedding_.values).subspan(next_patch_ * width, patches * width),
            .adapter = session_.adapter,
        }
    );
    next_patch_ += patches;
    next_ = end;
}

void Prefill::begin_positions() {
    const int total = static_cast<int>(prefix_.tokens.size());
    known_ = memory_.restore(prefix_, session_);
    // the first step's positions are not remembered, so those of a reference are computed here
    const int needed = std::max(known_, prefix_.reference_length() / PrefixMemory::block * PrefixMemory::block);
    const int rest = total - needed;
    session_.rows = total - (rest <= most_kept ? rest : usual_kept);
    session_.kept.assign(prefix_.audio.begin() + session_.rows, prefix_.audio.end());
    next_ = known_;
    next_patch_ = std::count(prefix_.audio.begin(), prefix_.audio.begin() + known_, 1);
    positions_begun_ = true;
}

} // namespace svc
