// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "trainer_hooks/reference/market.h"

namespace foxhunt {

// What an index does over the `horizon` days after each day, and classes of that.
class ForwardReturns {
 public:
  // horizon < market.days.
  ForwardReturns(const Market& market, int index, int horizon);

  // A class for each day [days], from 0 for the lowest returns to classes - 1: the thresholds part
  // the sorted returns into equal counts, one more or less. Equal returns are of one class. -1 for
  // the last `horizon` days.
  std::vector<int> classes_of_equal_frequency(int classes) const;

 private:
  int days_;
  std::vector<double> returns_;  // [days - horizon]
};

}  // namespace foxhunt
