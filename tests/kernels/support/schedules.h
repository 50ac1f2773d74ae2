// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace foxhunt::test {

// What a run of some kernels left behind: the bytes of its outputs, one after the other.
using Bytes = std::vector<std::byte>;

template <class T>
void append(Bytes& bytes, const std::vector<T>& values) {
  const auto more = std::as_bytes(std::span(values));
  bytes.insert(bytes.end(), more.begin(), more.end());
}

// Allocates, launches, waits, and returns the outputs' bytes. Called once per schedule, it must do
// the same each time.
using Run = std::function<Bytes()>;

inline constexpr int kSchedules = 32;

#if defined(FOXHUNT_TEST_BUILD)
// Whether this program's kernels can be stopped between any two accesses, with stores that become
// visible late.
inline bool instrumented() { return std::string_view(FOXHUNT_TEST_BUILD) == "instrumented"; }
#endif

// The first schedule below `count` under which run() leaves other bytes than under schedule 0, or
// `count` if there is none. Explorations with other `base_seed`s are independent. Schedule 0 must
// not return nothing: comparing nothing is a failure.
int first_difference(const Run& run, int count = kSchedules, std::uint64_t base_seed = 0);

// EXPECTs the same bytes under every one of `count` schedules. FOXHUNT_TEST_SCHEDULES overrides it.
void expect_schedule_invariant(const Run& run, int count = kSchedules);

// EXPECTs that, of independent explorations of 32 schedules each, nearly all see other bytes: 20 of
// 20, or, if FOXHUNT_TEST_TRIALS asks for more, 99 %. Prints the rate and the median schedule of
// the first difference under `name`.
void expect_schedule_dependent(std::string_view name, const Run& run);

}  // namespace foxhunt::test
