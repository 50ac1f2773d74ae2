// SPDX-License-Identifier: MIT
// A program of its own, because it counts every allocation.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>

#include "dump/capture/dumper.h"
#include "tests/dump/capture/scoped_environment.h"
#include "tests/support/temporary_directory.h"

namespace {
std::atomic<std::size_t> allocations{0};
}

// Out of line, or the compiler takes the pair of malloc and delete for a mistake.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace foxhunt::test {
namespace {

// What a process may leave traces in.
struct Footprint {
  std::size_t open_files = 0;
  std::string threads;

  static Footprint now() {
    Footprint footprint;
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("Threads:")) footprint.threads = line;
    }
    status.close();
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator("/proc/self/fd")) {
      ++footprint.open_files;
    }
    return footprint;
  }
};

Profile never_called() {
  ADD_FAILURE() << "the profile was asked for";
  return {};
}

class Disarmed : public testing::TestWithParam<const char*> {};

TEST_P(Disarmed, LeavesNoFileNoAllocationAndNoThread) {
  ScopedEnvironment environment;
  environment.clear();
  if (GetParam() != nullptr) environment.set("FOXHUNT_DETERMINISM_DEBUG_BACKWARD", GetParam());
  const TemporaryDirectory directory;
  const auto home = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  const float values[4] = {};

  const Footprint before = Footprint::now();
  const std::size_t allocated_before = allocations;
  const std::size_t heap_before = mallinfo2().uordblks;
  {
    Dumper dumper = Dumper::from_environment(never_called);
    for (std::uint64_t n = 0; n < 10; ++n) {
      StepScope step = dumper.step(n);
      FOXHUNT_HOOK(step.note_host("x", values, sizeof values));
      step.note_host("x", values, sizeof values);
      step.note_device("x", values, sizeof values, nullptr);
      step.next_update();
    }
    dumper.close();
  }
  EXPECT_EQ(allocations, allocated_before);
  EXPECT_EQ(mallinfo2().uordblks, heap_before);
  const Footprint after = Footprint::now();
  EXPECT_EQ(after.threads, before.threads);
  EXPECT_EQ(after.open_files, before.open_files);
  EXPECT_FALSE(FOXHUNT_ARMED());
  std::filesystem::current_path(home);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

INSTANTIATE_TEST_SUITE_P(ByTheGate, Disarmed, testing::Values(nullptr, "", "0"));

TEST(Hook, EvaluatesNothingWhileDisarmed) {
  ScopedEnvironment environment;
  environment.clear();
  Dumper dumper = Dumper::from_environment(never_called);
  int evaluated = 0;
  FOXHUNT_HOOK(++evaluated);
  EXPECT_EQ(evaluated, 0);
}

TEST(Hook, ReadsTheEnvironmentOnce) {
  ScopedEnvironment environment;
  environment.clear();
  EXPECT_TRUE(FOXHUNT_ARMED());  // nobody has looked yet
  StepScope nothing;
  FOXHUNT_HOOK(nothing.note_host("x", nullptr, 0));
  EXPECT_FALSE(FOXHUNT_ARMED());
}

}  // namespace
}  // namespace foxhunt::test
