// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "trainer_hooks/reference/campaign_run.h"
#include "trainer_hooks/reference/environment.h"

namespace foxhunt {

// What the parts of a campaign share.
struct Campaign {
  const Market& market;
  const ScratchDirectory& scratch;
  std::uint64_t seed = 1;  // of all that is drawn
  bool progress = false;   // a line on stderr that changes
  std::uint64_t misses = 0;

  // A number drawn for place `i` of a part.
  std::uint64_t draw(std::uint64_t part, std::uint64_t i, std::uint64_t which) const;
  // Something that did not come out as it must, with the commands that show it again.
  void miss(const std::string& what, const CampaignRun& a, const CampaignRun& b);
  void show(const std::string& part, std::uint64_t done, std::uint64_t of) const;
};

// Each prints its table. What does not hold is a miss.

// Each variant alone, `pairs` times under two schedules: the runs must differ in all but one in 20
// (of fewer: all but one), and wherever they do the verdict must name just that kernel, proven, at
// the right step. Takes the variants that need the instrumented build in that build, the others in
// the plain one.
void run_variants(Campaign& campaign, int pairs);

// `count` single faults, over every buffer that a launch makes and all kinds, each against a run
// without it under another schedule: the verdict must name just that buffer. `bare`: asks once more
// with what a dumper of groups g to k alone leaves; that need not be found, but nothing else may be
// proven.
void run_injections(Campaign& campaign, std::uint64_t count, bool bare);

// `count` pairs that differ in the schedule alone: nothing may be found.
void run_clean_pairs(Campaign& campaign, std::uint64_t count);

}  // namespace foxhunt
