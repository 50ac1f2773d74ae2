// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "compare/report/highlights.h"
#include "compare/report/page.h"
#include "compare/runs/comparison.h"

// The parts of the report for people; each prints nothing where it has nothing to say.
namespace foxhunt::sections {

inline constexpr std::size_t kMaxListed = 10;  // of anything, before "and K more"

void verdict(Page& page, Verdict verdict, const std::string& line);
void provenance(Page& page, const std::vector<ProvenanceDifference>& differences);
void origins(Page& page, const FirstDivergence& first);
void buffers(Page& page, const Highlights& highlights, const FirstDivergence* first);
void table(Page& page, const RankComparison& rank, const std::vector<ProfileGroup>& groups,
           bool many_ranks);
void ranks(Page& page, const Comparison& comparison);
void healed(Page& page, const Comparison& comparison);
void problems(Page& page, const std::vector<Problem>& problems, std::uint64_t not_listed);
// What equality does not cover.
void blind_spots(Page& page, const Comparison& comparison);
void next(Page& page, const Comparison& comparison, const Highlights& highlights,
          const std::vector<std::string>& runs);

// "a, b, c and 4 more".
std::string name_list(const std::vector<std::string>& names, std::size_t max);
// "and 4 more; --format json lists all".
std::string more(std::uint64_t count);

}  // namespace foxhunt::sections
