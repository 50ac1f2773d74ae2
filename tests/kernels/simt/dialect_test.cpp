// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "kernels/simt/diagnostics.h"
#include "kernels/simt/schedule.h"
#include "tests/kernels/simt/device_buffer.h"
#include "tests/kernels/simt/dialect_kernels.h"

namespace foxhunt::simt_test {
namespace {

// The meaning of the dialect holds under every schedule.
class Dialect : public testing::TestWithParam<int> {
 protected:
  Dialect() : scope_(simt::schedule_for(static_cast<std::uint64_t>(GetParam()), 42)) {}
  ~Dialect() override {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (const simt::Diagnostic& d : simt::diagnostics()) ADD_FAILURE() << d.text;
  }

 private:
  simt::ScheduleScope scope_;
};

TEST_P(Dialect, RunsEveryThreadOfAGridStrideLoop) {
  for (const int n : {0, 1, 255, 256, 257, 3000}) {
    std::vector<float> in(static_cast<std::size_t>(n) + 1);
    std::iota(in.begin(), in.end(), 0.0f);
    DeviceBuffer<float> x(in), y(in.size());
    y.clear();
    scale(x.data(), n, y.data(), nullptr);
    const std::vector<float> out = y.values();
    for (int i = 0; i < n; ++i)
      ASSERT_EQ(out[static_cast<std::size_t>(i)], 2.0f * static_cast<float>(i) + 1);
    ASSERT_EQ(out.back(), 0);
  }
}

TEST_P(Dialect, NumbersBlocksAndThreadsInTwoDimensions) {
  DeviceBuffer<int> y(13 * 21);
  number(13, 21, y.data(), nullptr);
  std::vector<int> expected(13 * 21);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(y.values(), expected);
}

TEST_P(Dialect, SumsInSharedMemoryAcrossBarriers) {
  std::vector<float> in(64 * 9);
  std::iota(in.begin(), in.end(), 1.0f);
  DeviceBuffer<float> x(in), sums(9);
  for (const auto& sum : {tree_sum, warp_sum}) {
    sum(x.data(), 9, sums.data(), nullptr);
    const std::vector<float> out = sums.values();
    for (std::size_t b = 0; b < 9; ++b) {
      EXPECT_EQ(out[b],
                std::accumulate(in.begin() + static_cast<std::ptrdiff_t>(64 * b),
                                in.begin() + static_cast<std::ptrdiff_t>(64 * b + 64), 0.0f));
    }
  }
}

TEST_P(Dialect, GivesEachLaneWhatCudaPromises) {
  DeviceBuffer<unsigned> y(64 * 12);
  collectives(y.data(), nullptr);
  const std::vector<unsigned> out = y.values();
  for (unsigned t = 0; t < 64; ++t) {
    const unsigned lane = t % 32, base = t - lane;
    unsigned thirds = 0, fours = 0;
    for (unsigned l = 0; l < 32; ++l) {
      thirds |= ((base + l) % 3 == 0 ? 1u : 0u) << l;
      fours |= ((base + l) % 4 == t % 4 ? 1u : 0u) << l;
    }
    const unsigned up = lane % 16 >= 2 ? t - 2 : t;
    const unsigned high_odd = 0xaaaa0000u;
    const std::vector<unsigned> expected{thirds,
                                         base == 0,
                                         1,
                                         base + (lane & ~7u) + 3,
                                         up,
                                         base + (lane ^ 5u),
                                         fours,
                                         1,
                                         0,
                                         32,
                                         (base + 7) * 3,
                                         t % 2 == 0 ? 0x55555555u : high_odd};
    EXPECT_EQ(std::vector<unsigned>(out.begin() + t * 12, out.begin() + (t + 1) * 12), expected)
        << "thread " << t;
  }
}

TEST_P(Dialect, LosesNoAtomicUpdate) {
  DeviceBuffer<unsigned> cells(12);
  DeviceBuffer<float> sum(1);
  DeviceBuffer<double> wide_sum(1);
  DeviceBuffer<unsigned long long> count(1);
  cells.clear();
  cudaMemset(cells.data() + 2, 0xff, 4);
  cudaMemset(cells.data() + 5, 0xff, 4);
  sum.clear();
  wide_sum.clear();
  count.clear();
  atomics(cells.data(), sum.data(), wide_sum.data(), count.data(), nullptr);
  std::vector<unsigned> out = cells.values();
  EXPECT_GE(out[10], 1u);  // whoever came first
  EXPECT_LE(out[10], 256u);
  out[10] = 0;
  EXPECT_EQ(out, (std::vector<unsigned>{255 * 128, 0u - 256u, 1000 - 255, 255, 0xffffffffu,
                                        0xffffff00u, 0, 256 % 10, 4, 77, 0, 1}));
  EXPECT_EQ(sum.values()[0], 256);
  EXPECT_EQ(wide_sum.values()[0], 128);
  EXPECT_EQ(count.values()[0], 768u);
}

INSTANTIATE_TEST_SUITE_P(Schedules, Dialect, testing::Range(0, 10));

}  // namespace
}  // namespace foxhunt::simt_test
