// SPDX-License-Identifier: MIT
#include "kernels/simt/explore/case.h"

namespace foxhunt {
namespace {

std::vector<ExploreCase>& cases() {
  static std::vector<ExploreCase> all;  // on first use: cases register before main
  return all;
}

}  // namespace

bool register_explore_case(const ExploreCase& one) {
  cases().push_back(one);
  return true;
}

const std::vector<ExploreCase>& explore_cases() { return cases(); }

}  // namespace foxhunt
