// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/verdict/walk.h"

namespace foxhunt::test {

// What the comparison found in one step of two runs, put together by hand. Starts with every buffer
// of some groups dumped and equal (once-per-step ones at occurrence 0 only, carried-in captures
// left out).
class StepDump {
 public:
  StepDump(const Profile& profile, std::string_view groups, std::uint32_t occurrences = 1);
  StepDump(StepDump&&) = default;  // the instances' names stay where they are

  // Turns what is there at `occurrence`, or adds it.
  StepDump& diverge(std::string_view name, std::uint32_t occurrence = 0,
                    std::uint64_t first_index = 0);
  StepDump& unknown(std::string_view name, std::uint32_t occurrence = 0);
  StepDump& equal(std::string_view name, std::uint32_t occurrence = 0);
  // All buffers of these groups, at all occurrences.
  StepDump& diverge_groups(std::string_view groups);
  // The captures of these groups' state, equal.
  StepDump& carried_in(std::string_view groups);
  // Multiplies every occurrence, so that nothing is dumped at those between.
  StepDump& spread(std::uint32_t factor);
  // Takes a buffer out at all occurrences.
  StepDump& drop(std::string_view name);

  std::span<const Instance> instances() const { return instances_; }

 private:
  StepDump& set(std::string_view name, std::uint32_t occurrence, Evidence evidence,
                std::uint64_t first_index);

  const Profile* profile_;
  std::deque<std::string> names_;
  std::vector<Instance> instances_;
};

}  // namespace foxhunt::test
