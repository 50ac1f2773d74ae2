// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "compare/runs/comparison.h"

namespace foxhunt::test {

// Keeps everything that a comparison hands out.
class CollectingSink : public ResultSink {
 public:
  void buffer(const BufferResult& result) override { results.push_back(result); }

  // The result of a buffer; a test fails by exception where there is none.
  const BufferResult& of(const std::string& name, std::uint64_t step = 0,
                         std::uint32_t occurrence = 0) const {
    const auto found = std::find_if(results.begin(), results.end(), [&](const BufferResult& r) {
      return r.name == name && r.step == step && r.occurrence == occurrence;
    });
    if (found == results.end()) throw std::out_of_range("no result for " + name);
    return *found;
  }

  std::vector<BufferResult> results;
};

// The codes of a comparison's problems, in order.
inline std::vector<std::string> problem_codes(const Comparison& comparison) {
  std::vector<std::string> codes;
  for (const Problem& problem : comparison.problems) codes.push_back(problem.code);
  return codes;
}

}  // namespace foxhunt::test
