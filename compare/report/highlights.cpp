// SPDX-License-Identifier: MIT
#include "compare/report/highlights.h"

namespace foxhunt {

void Highlights::buffer(const BufferResult& result) {
  if (result.status != Status::diverged) return;

  if (const auto& found = result.tolerance) {
    if (!tolerance_) tolerance_.emplace();
    ++tolerance_->buffers;
    tolerance_->outside += !found->within;
    // The first buffer sets the mark even at 0.
    if (tolerance_->worst_rtol.empty() || found->smallest_rtol > tolerance_->smallest_rtol) {
      tolerance_->smallest_rtol = found->smallest_rtol;
      tolerance_->worst_rtol = result.name;
    }
    if (tolerance_->worst_atol.empty() || found->smallest_atol > tolerance_->smallest_atol) {
      tolerance_->smallest_atol = found->smallest_atol;
      tolerance_->worst_atol = result.name;
    }
  }

  const bool benign = is_benign(result);
  const bool same = kept_ && kept_->rank == result.rank && kept_->step == result.step;
  // Ranks come one after the other, so a later rank may hold an earlier step. A tie stays with the
  // lower rank.
  const bool earlier = !kept_ || (kept_is_benign_ && !benign) ||
                       (kept_is_benign_ == benign && result.step < kept_->step);
  if (earlier) {
    kept_.emplace();
    kept_->rank = result.rank;
    kept_->step = result.step;
    kept_is_benign_ = benign;
  } else if (!same || (benign && !kept_is_benign_)) {
    return;
  }
  ++kept_->diverged;
  if (kept_->buffers.size() < kMaxKept) kept_->buffers.push_back(result);
}

}  // namespace foxhunt
