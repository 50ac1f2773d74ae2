// SPDX-License-Identifier: MIT
#include "kernels/simt/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <ctime>

#include "kernels/simt/races.h"
#include "kernels/simt/schedule.h"
#include "tests/kernels/simt/device_buffer.h"
#include "tests/kernels/simt/faulty_kernels.h"
#include "tests/kernels/simt/ordered_kernels.h"

namespace foxhunt::simt_test {
namespace {

using simt::Diagnostic;
using simt::DiagnosticKind;

// Every mistake is told under every schedule, at its line, and the device works afterwards.
class Diagnostics : public testing::TestWithParam<int> {
 protected:
  Diagnostics() : scope_(simt::schedule_for(static_cast<std::uint64_t>(GetParam()), 7)) {}

  // The one diagnostic of what was launched, at `line` of faulty_kernels.cu.
  static void expect(DiagnosticKind kind, int line) {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    const std::vector<Diagnostic> found = simt::take_diagnostics();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(name(found[0].kind), name(kind)) << found[0].text;
    EXPECT_TRUE(found[0].fatal);
    EXPECT_THAT(found[0].file, testing::EndsWith("tests/kernels/simt/faulty_kernels.cu"));
    EXPECT_EQ(found[0].line, line) << found[0].text;
    DeviceBuffer<int> ones(std::vector<int>{1, 1});
    EXPECT_EQ(ones.values(), (std::vector<int>{1, 1}));
  }

 private:
  simt::ScheduleScope scope_;
};

TEST_P(Diagnostics, NameABarrierThatSomeThreadsNeverReach) {
  expect(DiagnosticKind::barrier_divergence, barrier_in_divergent_branch(nullptr));
}

TEST_P(Diagnostics, NameABarrierThatMeetsAnother) {
  const int second = different_barriers(nullptr);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  const std::vector<Diagnostic> found = simt::take_diagnostics();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, DiagnosticKind::barrier_divergence);
  // Which of the two is met second depends on the schedule; both are named.
  EXPECT_THAT(found[0].text, testing::HasSubstr("faulty_kernels.cu:" + std::to_string(second)));
  EXPECT_THAT(found[0].text, testing::HasSubstr("faulty_kernels.cu:" + std::to_string(second - 2)));
}

TEST_P(Diagnostics, NameABarrierThatThreadsLeftBefore) {
  DeviceBuffer<int> out(64);
  expect(DiagnosticKind::barrier_divergence, barrier_after_exits(out.data(), nullptr));
}

TEST_P(Diagnostics, NameAMaskWithALaneThatHasLeft) {
  expect(DiagnosticKind::exited_lane, mask_names_exited_lane(nullptr));
}

TEST_P(Diagnostics, NameWhereALaneIsAwaitedThatLeaves) {
  expect(DiagnosticKind::exited_lane, lane_leaves_meeting(nullptr));
}

TEST_P(Diagnostics, NameALaneThatItsMaskLeavesOut) {
  expect(DiagnosticKind::lane_not_in_mask, lane_not_in_mask(nullptr));
}

TEST_P(Diagnostics, NameThreadsThatWaitForEver) {
  expect(DiagnosticKind::deadlock, masks_that_never_meet(nullptr));
}

TEST_P(Diagnostics, NameATrap) { expect(DiagnosticKind::trap, trap(nullptr)); }

TEST_P(Diagnostics, TellOfAShuffleFromOutsideItsMaskAndGoOn) {
  DeviceBuffer<unsigned> out(16);
  const int line = shuffle_outside_mask(out.data(), nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const std::vector<Diagnostic> found = simt::take_diagnostics();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, DiagnosticKind::shuffle_source);
  EXPECT_FALSE(found[0].fatal);
  EXPECT_EQ(found[0].line, line);
  const std::vector<unsigned> values = out.values();
  EXPECT_EQ(values[7], 15u);
  EXPECT_GT(values[8], 1'000'000u) << "expected garbage";
}

INSTANTIATE_TEST_SUITE_P(Schedules, Diagnostics, testing::Range(0, 6));

// One after another, in order and under a weak schedule; each within a second, or nearly where
// ThreadSanitizer has to be waited for.
TEST(Watchdog, EndsKernelsThatSpinAndNamesTheLine) {
  for (const std::uint64_t index : {std::uint64_t{0}, std::uint64_t{3}}) {
    const simt::ScheduleScope scope(simt::schedule_for(index, 7));
    const auto expect = [](const char* what, const char* kernel, int line) {
      const auto start = std::chrono::steady_clock::now();
      std::clock_t cpu = std::clock();
      EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchTimeout) << what;
      cpu = std::clock() - cpu;
      EXPECT_LT(cpu, (simt::detects_races() ? 2 : 1) * CLOCKS_PER_SEC) << what;
      EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10)) << what;
      EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchTimeout);
      const std::vector<Diagnostic> found = simt::take_diagnostics();
      ASSERT_EQ(found.size(), 1u) << what;
      EXPECT_EQ(name(found[0].kind), name(DiagnosticKind::spin)) << found[0].text;
      EXPECT_THAT(found[0].file, testing::EndsWith("tests/kernels/simt/faulty_kernels.cu"));
      // A compiler may leave an endless loop that belongs to no line: then it is one of the
      // kernel's.
      EXPECT_GE(found[0].line, line) << what << ": " << found[0].text;
      EXPECT_LE(found[0].line, line + 2) << what << ": " << found[0].text;
      EXPECT_THAT(found[0].kernel, testing::HasSubstr(kernel));
    };
    DeviceBuffer<int> word(1);
    word.clear();
    expect("plain load", "spin_on_plain_load_kernel", spin_on_plain_load(word.data(), nullptr));
    expect("volatile load", "spin_on_volatile_load_kernel",
           spin_on_volatile_load(word.data(), nullptr));
    expect("atomic", "spin_on_atomic_kernel", spin_on_atomic(word.data(), nullptr));
    expect("lock", "spin_on_lock_kernel", spin_on_lock(word.data(), nullptr));
    DeviceBuffer<int> ones(std::vector<int>{1, 1});
    EXPECT_EQ(ones.values(), (std::vector<int>{1, 1}));
  }
}

// More than stand at any bottom of the order: whoever waits lets all others go on in the end.
TEST(Watchdog, LetsManyWaitForFew) {
  for (std::uint64_t i = 0; i < 42; ++i) {
    simt::Schedule schedule = simt::schedule_for(i, 8);
    const simt::ScheduleScope scope(schedule);
    DeviceBuffer<int> flag(1), out(128);
    flag.clear();
    many_wait_for_few(1, flag.data(), out.data(), nullptr);
    EXPECT_EQ(out.values(), std::vector<int>(128, 1)) << simt::describe(schedule);
    for (const auto& d : simt::diagnostics()) {
      ADD_FAILURE() << simt::describe(schedule) << ": " << d.text;
    }
  }
}

TEST(DiagnosticsOption, LetsExitedThreadsPassABarrier) {
  simt::Schedule schedule;
  schedule.exited_threads_pass_barriers = true;
  const simt::ScheduleScope scope(schedule);
  DeviceBuffer<int> out(64);
  barrier_after_exits(out.data(), nullptr);
  const std::vector<int> values = out.values();
  EXPECT_TRUE(simt::diagnostics().empty());
  EXPECT_EQ(values[49], 2);
  EXPECT_EQ(values[50], 1);
}

TEST(HostMistakes, AreErrorsWithAReason) {
  const simt::ScheduleScope scope{simt::Schedule{}};
  const auto expect = [](cudaError_t error, cudaError_t expected, const char* reason) {
    EXPECT_EQ(error, expected);
    EXPECT_EQ(cudaGetLastError(), expected);
    const std::vector<Diagnostic> found = simt::take_diagnostics();
    ASSERT_EQ(found.size(), 1u) << reason;
    EXPECT_THAT(found[0].text, testing::HasSubstr(reason));
  };
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  ASSERT_EQ(cudaEventDestroy(event), cudaSuccess);
  expect(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle,
         "stream that does not exist");
  expect(cudaEventSynchronize(event), cudaErrorInvalidResourceHandle, "event that does not exist");
  char host[8] = {};
  expect(cudaFree(host), cudaErrorInvalidValue, "not allocated");
  DeviceBuffer<char> four(4);
  expect(cudaMemcpy(four.data(), host, 5, cudaMemcpyHostToDevice), cudaErrorInvalidValue,
         "has 4 from there on");
  expect(cudaMemcpy(four.data(), host, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue,
         "from host to device");
  expect(cudaMemset(four.data() + 2, 0, 3), cudaErrorInvalidValue, "has 2 from there on");
}

}  // namespace
}  // namespace foxhunt::simt_test
