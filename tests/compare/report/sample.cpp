// SPDX-License-Identifier: MIT
#include "tests/compare/report/sample.h"

#include <bit>

namespace foxhunt::test {
namespace {

TableRow row(std::uint64_t first, std::uint64_t last, Cell g, Cell h) {
  TableRow row;
  row.first_step = first;
  row.last_step = last;
  row.steps = last - first + 1;
  row.cells['g' - 'a'] = g;
  row.cells['h' - 'a'] = h;
  return row;
}

}  // namespace

BufferResult diverged_buffer() {
  BufferResult result;
  result.step = 2;
  result.group = 'h';
  result.name = "q_logits";
  result.status = Status::diverged;
  result.dtype = DType::f32;
  result.shape = Shape{2, 3};
  result.elements = result.elements_a = result.elements_b = 6;
  Difference d;
  d.elements = 6;
  d.differing = 2;
  d.first_index = 1;
  d.last_index = 4;
  d.measured = 2;
  d.max_abs = 0.5;
  d.max_abs_index = 4;
  d.ulp_measured = 2;
  d.max_ulp = 4194304;
  d.ulp_histogram = {1, 0, 0, 1};
  d.runs = 2;
  d.tiles_touched = 1;
  d.a_all_zero = d.b_all_zero = false;
  d.sample_first = {1, std::bit_cast<std::uint32_t>(1.0f),
                    std::bit_cast<std::uint32_t>(1.0000001f)};
  d.sample_max = {4, std::bit_cast<std::uint32_t>(1.0f), std::bit_cast<std::uint32_t>(1.5f)};
  result.difference = d;
  return result;
}

BufferResult equal_buffer(const std::string& name, std::uint64_t step) {
  BufferResult result;
  result.step = step;
  result.group = 'g';
  result.name = name;
  result.dtype = DType::f32;
  result.shape = Shape{4};
  result.elements = result.elements_a = result.elements_b = 4;
  return result;
}

FirstDivergence proven_divergence() {
  FirstDivergence first;
  first.step = 2;
  first.groups = "h";
  Origin origin;
  origin.buffer = "q_logits";
  origin.group = 'h';
  origin.kernel = "dqn_head_fwd";
  origin.determinism = Determinism::run_to_run;
  origin.claim = Claim::proven;
  origin.advice = "cuBLAS math mode";
  first.origins.push_back(origin);
  return first;
}

Comparison identical_comparison() {
  Comparison comparison;
  comparison.verdict = Verdict::identical;
  comparison.everything_compared = true;
  comparison.profile_name = "fixture";
  comparison.groups = {{'g', "PER sample"}, {'h', "head outputs"}, {'m', "the update"}};
  RankComparison rank;
  rank.a.state = rank.b.state = "complete";
  rank.verdict = Verdict::identical;
  rank.steps = 4;
  rank.equal = 8;
  rank.table = {row(0, 3, Cell::equal, Cell::equal)};
  rank.never_dumped = {"adam_m", "params"};
  comparison.ranks.push_back(rank);
  return comparison;
}

Comparison diverged_comparison() {
  Comparison comparison = identical_comparison();
  comparison.verdict = Verdict::diverged;
  RankComparison& rank = comparison.ranks[0];
  rank.verdict = Verdict::diverged;
  rank.equal = 7;
  rank.diverged = 1;
  rank.first_divergence = proven_divergence();
  rank.table = {row(0, 1, Cell::equal, Cell::equal), row(2, 2, Cell::equal, Cell::diverged),
                row(3, 3, Cell::equal, Cell::equal)};
  rank.healed = {{"q_logits", 2, 3}};
  return comparison;
}

Comparison unverified_comparison() {
  Comparison comparison = identical_comparison();
  comparison.verdict = Verdict::unverified;
  comparison.everything_compared = false;
  RankComparison& rank = comparison.ranks[0];
  rank.verdict = Verdict::unverified;
  rank.b.state = "open";
  rank.steps = 2;
  rank.equal = 4;
  rank.table = {row(0, 1, Cell::equal, Cell::equal)};
  comparison.problems.push_back({"open_run", "b", "b: is still being written; let it finish"});
  return comparison;
}

}  // namespace foxhunt::test
