// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compare/runs/result.h"
#include "compare/runs/run.h"

namespace foxhunt {

// One buffer of one step, found in one or both runs.
struct Pair {
  const Entry* a = nullptr;  // null: not in that run
  const Entry* b = nullptr;

  const Entry& either() const noexcept { return a != nullptr ? *a : *b; }
};

// Pairs the entries of one step by (occurrence, group, name), in the execution order of `a`; what
// only `b` has follows the pair that it follows there. No entry repeats within a run (Run sees to
// that). The entries must outlive the pairs.
std::vector<Pair> align(std::span<const Entry> a, std::span<const Entry> b);

// What the two records say of each other before any byte is read.
struct Contract {
  std::optional<DType> dtype;  // nothing: unknown on both sides
  std::optional<Shape> shape;  // the common one; nothing when unknown or when row counts differ
  bool comparable = true;      // false: dtype or shape changed; `why` names both
  std::string why;
};

Contract agree(const Entry& a, const Entry& b);

}  // namespace foxhunt
