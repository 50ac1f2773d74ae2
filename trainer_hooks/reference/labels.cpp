// SPDX-License-Identifier: MIT
#include "trainer_hooks/reference/labels.h"

#include <algorithm>
#include <cstddef>

namespace foxhunt {

ForwardReturns::ForwardReturns(const Market& market, int index, int horizon) : days_(market.days) {
  for (int day = 0; day + horizon < market.days; ++day) {
    double sum = 0;
    for (int d = day + 1; d <= day + horizon; ++d) sum += double{market.log_return(d, index)};
    returns_.push_back(sum);
  }
}

std::vector<int> ForwardReturns::classes_of_equal_frequency(int classes) const {
  std::vector<double> sorted = returns_;
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> thresholds;  // the lowest return of each class but the first
  for (int c = 1; c < classes; ++c) {
    thresholds.push_back(
        sorted[sorted.size() * static_cast<std::size_t>(c) / static_cast<std::size_t>(classes)]);
  }
  std::vector<int> of_day(static_cast<std::size_t>(days_), -1);
  for (std::size_t d = 0; d < returns_.size(); ++d) {
    const auto above = std::upper_bound(thresholds.begin(), thresholds.end(), returns_[d]);
    of_day[d] = static_cast<int>(above - thresholds.begin());
  }
  return of_day;
}

}  // namespace foxhunt
