// SPDX-License-Identifier: MIT
// How surely each kind of kernel bug (tests/kernels/simt/twins) is found within 32 schedules, and
// what its repaired twin costs. Linked with one build of the twins' kernels.
//
//   twin_detection [--quick] [TRIALS]     200 trials, each of 32 schedules of its own seed
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string_view>

#include "kernels/simt/explore.h"
#include "tests/bench/row.h"
#include "tests/kernels/simt/twins/twin.h"

namespace foxhunt::bench {
namespace {

using twins::Needs;
using twins::Twin;

constexpr std::string_view kBuild = FOXHUNT_TEST_BUILD;

bool shows_in_this_build(const Twin& twin) {
  return kBuild == "instrumented" || twin.needs == Needs::order || twin.needs == Needs::streams;
}

// The first of 32 schedules whose bits are not the in-order one's; 0 if there is none.
std::uint64_t first_detection(const Twin& twin, std::uint64_t seed) {
  ExploreOptions options;
  options.seed = seed;
  options.minimise_budget = 0;
  options.stop_at_first = true;
  const Exploration found = explore([&] { return twin.run(false); }, options);
  return found.divergence ? found.divergence->number : 0;
}

double microseconds_a_run(const Twin& twin) {
  ExploreOptions options;
  options.schedules = 66;
  const auto begin = std::chrono::steady_clock::now();
  const Exploration found = explore([&] { return twin.run(true); }, options);
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
  return time.count() / static_cast<double>(found.schedules);
}

void measure(const Twin& twin, int trials) {
  int detected = 0;
  std::uint64_t latest = 0;
  std::vector<double> firsts;
  for (int trial = 0; trial < trials; ++trial) {
    const std::uint64_t first = first_detection(twin, 1000 + static_cast<std::uint64_t>(trial));
    if (first == 0) continue;
    ++detected;
    latest = std::max(latest, first);
    firsts.push_back(static_cast<double>(first));
  }
  const std::string what = fmt::format(
      "twin {} ({}), {} of {}, first at {}, at the latest {}; {:.0f} us a run", twin.name,
      twins::needs_name(twin.needs), detected, trials,
      firsts.empty() ? "-" : fmt::format("{:g}", median(firsts)), latest, microseconds_a_run(twin));
  print({what, 100.0 * detected / trials, "%", 99, 100});
}

}  // namespace
}  // namespace foxhunt::bench

int main(int argc, char** argv) {
  using namespace foxhunt;
  int trials = 200;
  for (int i = 1; i < argc; ++i) {
    trials = std::string_view(argv[i]) == "--quick" ? 2 : std::atoi(argv[i]);
  }
  if (trials < 1) {
    fmt::print(stderr, "twin_detection: TRIALS must be at least 1\n");
    return 2;
  }
  for (const twins::Twin& twin : twins::all_twins()) {
    if (bench::shows_in_this_build(twin)) bench::measure(twin, trials);
  }
  return 0;
}
