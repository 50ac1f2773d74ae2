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

// Of any size, at any alignment within a line.
template <class T>
std::vector<float> copied() {
  constexpr int kBlocks = 3, kCount = kBlocks * 64;
  constexpr std::size_t kFloats = sizeof(T) / sizeof(float);
  DeviceBuffer<T> in(kCount), scratch(kCount), out(kCount);
  std::vector<float> values(kCount * kFloats);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
  cudaMemcpy(in.data(), values.data(), sizeof(float) * values.size(), cudaMemcpyHostToDevice);
  copies(kBlocks, in.data(), scratch.data(), out.data(), nullptr);
  std::vector<float> left(values.size());
  cudaMemcpy(left.data(), out.data(), sizeof(float) * left.size(), cudaMemcpyDeviceToHost);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const std::size_t at = i / kFloats, neighbour = at / 64 * 64 + (at + 1) % 64;
    left[i] -= values[neighbour * kFloats + i % kFloats];  // 0 where it was copied right
  }
  return left;
}

TEST_F(WeakMemory, CopiesStructsWhole) {
  EXPECT_EQ(outcomes(200, copied<float2>), (std::set{std::vector<float>(3 * 64 * 2)}));
  EXPECT_EQ(outcomes(200, copied<float4>), (std::set{std::vector<float>(3 * 64 * 4)}));
  EXPECT_EQ(outcomes(200, copied<Odd>), (std::set{std::vector<float>(3 * 64 * 7)}));
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
