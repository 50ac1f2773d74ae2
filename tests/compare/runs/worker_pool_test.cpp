// SPDX-License-Identifier: MIT
#include "compare/runs/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

namespace foxhunt {
namespace {

TEST(WorkerPool, RunsEveryJobOnce) {
  WorkerPool pool(3);
  for (const std::size_t count : {0u, 1u, 2u, 3u, 1000u}) {
    std::vector<std::atomic<int>> seen(count);
    pool.run(count, [&](std::size_t i) { ++seen[i]; });
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(seen[i], 1) << i << " of " << count;
  }
}

TEST(WorkerPool, SharesTheWorkAmongThreads) {
  WorkerPool pool(2);
  std::atomic<int> inside{0};
  std::atomic<bool> met{false};
  // Each job waits for the other: only two threads can end this.
  pool.run(2, [&](std::size_t) {
    ++inside;
    while (inside < 2) std::this_thread::yield();
    met = true;
  });
  EXPECT_TRUE(met);
}

TEST(WorkerPool, ReportsProgressOnTheCallingThread) {
  const auto self = std::this_thread::get_id();
  for (const unsigned threads : {1u, 3u}) {
    WorkerPool pool(threads);
    std::size_t calls = 0;
    bool elsewhere = false;
    pool.run(
        100, [](std::size_t) {},
        [&] {
          ++calls;
          elsewhere |= std::this_thread::get_id() != self;
        });
    if (threads == 1) {
      EXPECT_EQ(calls, 100u);
    }
    EXPECT_FALSE(elsewhere);
  }
}

TEST(WorkerPool, SurvivesThousandsOfTinyLoops) {
  WorkerPool pool(4);
  std::atomic<std::size_t> total{0};
  for (int i = 0; i < 5000; ++i) pool.run(3, [&](std::size_t) { ++total; });
  EXPECT_EQ(total, 15000u);
}

}  // namespace
}  // namespace foxhunt
