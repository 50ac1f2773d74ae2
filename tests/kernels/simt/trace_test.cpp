// SPDX-License-Identifier: MIT
#include "kernels/simt/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "dump/format/error.h"
#include "tests/kernels/simt/device_buffer.h"
#include "tests/kernels/simt/ordered_kernels.h"

namespace foxhunt::simt_test {
namespace {

using simt::Decision;
using simt::DecisionKind;
using simt::Schedule;
using simt::Trace;

// What the schedule makes of kernels that depend on it: arrival order, uninitialised memory, two
// streams.
std::vector<unsigned> run_ordered() {
  DeviceBuffer<unsigned> head(1), slots(256), bare(4);
  head.clear();
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaDeviceSynchronize();
  arrivals(head.data(), slots.data(), stream);
  arrivals(head.data(), slots.data(), nullptr);
  cudaStreamDestroy(stream);
  cudaDeviceSynchronize();
  std::vector<unsigned> result = slots.values();
  const std::vector<unsigned> garbage = bare.values();
  result.insert(result.end(), garbage.begin(), garbage.end());
  return result;
}

std::vector<unsigned> run_under(const Schedule& schedule) {
  const simt::ScheduleScope scope(schedule);
  return run_ordered();
}

std::vector<unsigned> replayed(const Trace& trace) {
  std::vector<unsigned> result;
  simt::replay(trace, [&] { result = run_ordered(); });
  return result;
}

// Threads that need no books one by one are written down together; while decisions are recorded,
// none are.
TEST(Batches, ChangeNeitherTheOrderNorThePoints) {
  const auto run = [] {
    DeviceBuffer<unsigned> head(1), order(1024);
    head.clear();
    order.clear();
    some_wait(head.data(), order.data(), nullptr);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    std::vector<unsigned> result = order.values();
    result.push_back(static_cast<unsigned>(simt::executed_points()));
    return result;
  };
  std::vector<Schedule> schedules(9);
  for (unsigned i = 1; i < 9; ++i) {
    schedules[i].resident = 1 + i / 2;
    schedules[i].round_robin = i % 2 != 0;
    schedules[i].random_walk = i % 4 == 0;
    schedules[i].policy = simt::Policy::swarm;
    schedules[i].preempt_at_sync = i % 3 == 0 ? 0.1 : 0;
  }
  for (std::uint64_t i = 0; i < 30; ++i) schedules.push_back(simt::schedule_for(i, 5));
  for (const Schedule& schedule : schedules) {
    simt::set_schedule(schedule);
    const std::vector<unsigned> seen = run();
    std::vector<unsigned> recorded;
    simt::record(schedule, [&] { recorded = run(); });
    EXPECT_EQ(seen, recorded) << simt::describe(schedule);
  }
  simt::set_schedule({});
}

TEST(DecisionTrace, RecordsWithoutChangingAndReplaysExactly) {
  const std::vector<unsigned> in_order = run_under(Schedule{});
  unsigned different = 0;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const Schedule schedule = simt::schedule_for(i, 11);
    const std::vector<unsigned> seen = run_under(schedule);
    std::vector<unsigned> recorded;
    const Trace trace = simt::record(schedule, [&] { recorded = run_ordered(); });
    EXPECT_EQ(recorded, seen) << describe(schedule);
    EXPECT_EQ(replayed(Trace::parse(trace.text())), seen) << describe(schedule);
    different += seen != in_order;
  }
  EXPECT_GT(different, 50u);
}

TEST(DecisionTrace, IsEmptyInOrder) {
  EXPECT_TRUE(simt::record(Schedule{}, [] { run_ordered(); }).decisions.empty());
  EXPECT_EQ(replayed(Trace{}), run_under(Schedule{}));
}

TEST(DecisionTrace, GoesThroughTextUnchanged) {
  Trace trace;
  trace.schedule = simt::schedule_for(3, 9);
  for (std::size_t k = 0; k < simt::kDecisionKinds; ++k) {
    trace.decisions.push_back({static_cast<DecisionKind>(k), 7 * k, ~std::uint64_t{0} - k});
  }
  const Trace read = Trace::parse(trace.text());
  EXPECT_EQ(read.decisions, trace.decisions);
  EXPECT_EQ(read.text(), trace.text());
}

TEST(DecisionTrace, RefusesDamageAndNamesTheLine) {
  Trace trace;
  trace.decisions = {{DecisionKind::next, 1, 2}, {DecisionKind::next, 3, 4}};
  const std::string text = trace.text();
  const auto refusal = [](const std::string& damaged) {
    try {
      Trace::parse(damaged);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto replaced = [&](const char* from, const char* to) {
    std::string copy = text;
    return copy.replace(copy.find(from), std::string(from).size(), to);
  };
  EXPECT_THAT(refusal(""), testing::HasSubstr("line 1"));
  EXPECT_THAT(refusal(replaced("trace 1", "trace 2")), testing::HasSubstr("line 1"));
  EXPECT_THAT(refusal(replaced("in-order", "backwards")), testing::HasSubstr("line 2"));
  EXPECT_THAT(refusal(replaced("next 1 2", "next 1")), testing::HasSubstr("line 3"));
  EXPECT_THAT(refusal(replaced("next 1 2", "last 1 2")), testing::HasSubstr("line 3"));
  EXPECT_THAT(refusal(replaced("next 1 2", "next 1 99999999999999999999")),
              testing::HasSubstr("line 3"));
  EXPECT_THAT(refusal(replaced("next 3 4", "next 1 4")), testing::HasSubstr("not in order"));
  EXPECT_EQ(refusal(text), "accepted");
}

TEST(Minimise, FindsTheFewestDecisions) {
  Trace trace;
  for (std::uint64_t i = 0; i < 500; ++i) trace.decisions.push_back({DecisionKind::next, i, 1});
  for (std::uint64_t i = 0; i < 500; ++i) trace.decisions.push_back({DecisionKind::drain, i, 1});
  const std::vector<Decision> needed{{DecisionKind::next, 17, 1}, {DecisionKind::next, 371, 1}};
  unsigned calls = 0;
  const Trace least = simt::minimise(trace, [&](const Trace& candidate) {
    ++calls;
    return std::includes(candidate.decisions.begin(), candidate.decisions.end(), needed.begin(),
                         needed.end(), [](const Decision& a, const Decision& b) {
                           return std::tie(a.kind, a.number) < std::tie(b.kind, b.number);
                         });
  });
  EXPECT_EQ(least.decisions, needed);
  EXPECT_LT(calls, 150u);
}

TEST(Minimise, KeepsWhatItHasWhenTheBudgetEnds) {
  Trace trace;
  for (std::uint64_t i = 0; i < 100; ++i) trace.decisions.push_back({DecisionKind::next, i, 1});
  unsigned calls = 0;
  const auto shows = [&](const Trace& candidate) {
    ++calls;
    return candidate.decisions.size() >= 50;
  };
  const Trace least = simt::minimise(trace, shows, 7);
  EXPECT_EQ(calls, 7u);
  EXPECT_GE(least.decisions.size(), 50u);
  EXPECT_LT(least.decisions.size(), 100u);
}

TEST(Minimise, LeavesOneDecisionOfARealDifference) {
  const std::vector<unsigned> in_order = run_under(Schedule{});
  const Trace trace = simt::record(simt::schedule_for(2, 11), [] { run_ordered(); });
  ASSERT_NE(replayed(trace), in_order);
  const Trace least = simt::minimise(
      trace, [&](const Trace& candidate) { return replayed(candidate) != in_order; });
  EXPECT_EQ(least.decisions.size(), 1u) << least.text();
  EXPECT_NE(replayed(least), in_order);
}

}  // namespace
}  // namespace foxhunt::simt_test
