// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "kernels/simt/diagnostics.h"
#include "kernels/simt/schedule.h"
#include "tests/kernels/simt/device_buffer.h"
#include "tests/kernels/simt/weak_kernels.h"

namespace foxhunt::simt_test {
namespace {

// Built only with kernels that call a hook at each access: without, stores are visible at once.
class WeakMemory : public testing::Test {
 protected:
  // All that `run` returns under this many schedules.
  template <class Run>
  static auto outcomes(std::uint64_t schedules, const Run& run) {
    std::set<decltype(run())> seen;
    for (std::uint64_t i = 0; i < schedules; ++i) {
      const simt::ScheduleScope scope(simt::schedule_for(i, 21));
      seen.insert(run());
      for (const auto& d : simt::diagnostics()) ADD_FAILURE() << d.text;
    }
    return seen;
  }

  static std::set<int> handed_over(Handover how) {
    return outcomes(200, [=] {
      DeviceBuffer<int> data(1), flag(1), out(1);
      data.clear();
      flag.clear();
      hand_over(how, data.data(), flag.data(), out.data(), nullptr);
      return out.values()[0];
    });
  }

  static std::set<std::vector<int>> exchanged(Between what) {
    return outcomes(200, [=] {
      DeviceBuffer<int> scratch(3 * 64), out(3 * 64);
      scratch.clear();
      exchange(what, 3, scratch.data(), out.data(), nullptr);
      return out.values();
    });
  }
};

TEST_F(WeakMemory, HandsOverBetweenFences) { EXPECT_EQ(handed_over({}), std::set<int>{1}); }

TEST_F(WeakMemory, ShowsAMissingWriterFence) {
  EXPECT_EQ(handed_over({.writer_fence = false}), (std::set<int>{0, 1}));
}

TEST_F(WeakMemory, ShowsAMissingReaderFence) {
  EXPECT_EQ(handed_over({.reader_fence = false}), (std::set<int>{0, 1}));
}

TEST_F(WeakMemory, OrdersTheThreadsOfABlockByBarriers) {
  EXPECT_EQ(exchanged(Between::barrier).size(), 1u);
  EXPECT_EQ(exchanged(Between::warp_barrier).size(), 1u);
  EXPECT_GT(exchanged(Between::nothing).size(), 1u);
}

TEST_F(WeakMemory, ShowsAThreadItsOwnStores) {
  EXPECT_EQ(outcomes(100,
                     [] {
                       DeviceBuffer<unsigned char> memory(32 * 64);
                       DeviceBuffer<int> out(64);
                       own_stores(64, memory.data(), out.data(), nullptr);
                       return out.values();
                     }),
            std::set<std::vector<int>>{std::vector<int>(64)});
}

TEST_F(WeakMemory, TearsNoStore) {
  EXPECT_EQ(outcomes(300,
                     [] {
                       DeviceBuffer<unsigned long long> pair(1);
                       DeviceBuffer<int> out(1);
                       pair.clear();
                       pairs(pair.data(), out.data(), nullptr);
                       return out.values()[0];
                     }),
            std::set<int>{0});
}

TEST_F(WeakMemory, NeverGoesBackInOneWord) {
  EXPECT_EQ(outcomes(300,
                     [] {
                       DeviceBuffer<int> word(4), out(4);
                       word.clear();
                       out.clear();
                       counts(word.data(), out.data(), nullptr);
                       return out.values()[0];
                     }),
            std::set<int>{0});
}

}  // namespace
}  // namespace foxhunt::simt_test
