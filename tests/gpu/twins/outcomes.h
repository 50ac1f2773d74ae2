// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <map>
#include <stdexcept>

namespace foxhunt::test {

// What many runs of one program left.
template <class Bytes>
struct Outcomes {
  std::map<Bytes, int> seen;  // each with its number of runs

  int runs() const {
    int sum = 0;
    for (const auto& [bytes, times] : seen) sum += times;
    return sum;
  }
  // The one that was seen most often; of equals the smallest.
  const Bytes& usual() const {
    if (seen.empty()) throw std::logic_error("no run, no outcome");
    auto most = seen.begin();
    for (auto one = seen.begin(); one != seen.end(); ++one) {
      if (one->second > most->second) most = one;
    }
    return most->first;
  }
  int unusual_runs() const { return runs() - seen.at(usual()); }
};

// Runs it `runs` times, or as often as `seconds` allow, but at least twice; run(number) returns its
// bytes.
template <class Bytes, class Run>
Outcomes<Bytes> outcomes_of(const Run& run, int runs, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  Outcomes<Bytes> outcomes;
  for (int number = 0; number < runs && (number < 2 || Clock::now() < end); ++number) {
    ++outcomes.seen[run(number)];
  }
  return outcomes;
}

}  // namespace foxhunt::test
