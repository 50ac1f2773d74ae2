// SPDX-License-Identifier: MIT
#include "compare/runs/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
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

TEST(WorkerPool, SharesLongWorkAmongThreads) {
  WorkerPool pool(2);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  for (int round = 0; round < 100 && threads.size() < 2; ++round) {
    pool.run(20, [&](std::size_t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
  }
  EXPECT_EQ(threads.size(), 2u);
}

TEST(WorkerPool, KeepsShortWorkOnTheCallingThread) {
  WorkerPool pool(2);
  const auto self = std::this_thread::get_id();
  pool.run(2, [&](std::size_t) { EXPECT_EQ(std::this_thread::get_id(), self); });
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
