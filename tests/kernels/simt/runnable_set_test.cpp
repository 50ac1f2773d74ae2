// SPDX-License-Identifier: MIT
#include "kernels/simt/runnable_set.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "kernels/simt/random.h"

namespace foxhunt::simt {
namespace {

// Against a std::set of ranks, over random steps.
TEST(RunnableSet, FindsTheFirstAndKeepsTheBijection) {
  for (const std::uint32_t count : {1u, 63u, 64u, 65u, 4096u, 5000u}) {
    RunnableSet set;
    set.reset(count + 10);
    std::vector<Thread> threads(count);
    for (std::uint32_t i = 0; i < count; ++i) set.place(threads[i], count - 1 - i);
    std::set<std::uint32_t> model;
    Random random(count);
    for (int step = 0; step < 20'000; ++step) {
      Thread& thread = threads[random.below(count)];
      const std::uint32_t rank = random.below(count + 10);
      switch (random.below(3)) {
        case 0:
          set.insert(thread);
          model.insert(thread.rank);
          break;
        case 1:
          set.remove(thread);
          model.erase(thread.rank);
          break;
        default: {
          const bool here = model.count(thread.rank) != 0, there = model.count(rank) != 0;
          const std::uint32_t before = thread.rank;
          set.move(thread, rank);
          ASSERT_EQ(thread.rank, rank);
          ASSERT_EQ(set.at(rank), &thread);
          if (here != there) {
            model.erase(here ? before : rank);
            model.insert(here ? rank : before);
          }
          break;
        }
      }
      const auto first = model.lower_bound(rank);
      const Thread* const found = set.first(rank);
      ASSERT_EQ(found == nullptr, first == model.end());
      if (found != nullptr) {
        ASSERT_EQ(found->rank, *first);
      }
    }
    for (const Thread& thread : threads) ASSERT_EQ(set.at(thread.rank), &thread);
  }
}

TEST(RunnableSet, ClosesGapsAndKeepsTheOrder) {
  RunnableSet set;
  set.reset(200);
  std::vector<Thread> threads(70);
  for (std::uint32_t i = 0; i < 70; ++i) {
    set.place(threads[i], 199 - 2 * i);
    if (i % 3 == 0) set.insert(threads[i]);
  }
  set.close_gaps();
  for (std::uint32_t i = 0; i < 70; ++i) {
    EXPECT_EQ(threads[i].rank, 69 - i);
    EXPECT_EQ(set.at(69 - i), &threads[i]);
    EXPECT_EQ(set.contains(threads[i]), i % 3 == 0);
  }
  for (std::uint32_t rank = 70; rank < 200; ++rank) EXPECT_EQ(set.at(rank), nullptr);
}

TEST(RunnableSet, InsertsManyAsOneByOne) {
  for (const std::uint32_t first : {0u, 1u, 63u, 64u, 100u}) {
    for (const std::uint32_t count : {1u, 63u, 64u, 65u, 200u}) {
      std::vector<Thread> threads(400);
      RunnableSet set;
      set.reset(400);
      for (std::uint32_t i = 0; i < 400; ++i) set.place(threads[i], i);
      set.insert_from(first, count);
      for (const Thread& thread : threads) {
        EXPECT_EQ(set.contains(thread), thread.rank >= first && thread.rank < first + count);
      }
      EXPECT_EQ(set.first()->rank, first);
      const Thread* const last = set.first(first + count - 1);
      ASSERT_NE(last, nullptr);
      EXPECT_EQ(set.first(first + count), nullptr);
    }
  }
}

TEST(RunnableSet, RemovesARunAsOneByOne) {
  std::vector<Thread> threads(300);
  RunnableSet set;
  set.reset(300);
  for (std::uint32_t i = 0; i < 300; ++i) set.place(threads[i], i);
  for (const std::uint32_t first : {64u, 65u, 100u, 127u}) {
    set.insert_from(0, 300);
    EXPECT_EQ(set.run_from(first), 128 - first);
    for (std::uint32_t count = 1; count <= 128 - first; ++count) {
      set.insert_from(0, 300);
      set.remove(threads[first + count - 1]);
      EXPECT_EQ(set.run_from(first), count - 1);
      set.insert(threads[first + count - 1]);
      set.remove_run(first, count);
      for (const Thread& thread : threads) {
        EXPECT_EQ(set.contains(thread), thread.rank < first || thread.rank >= first + count);
      }
    }
  }
  set.insert_from(0, 300);
  set.remove_run(64, 64);
  EXPECT_EQ(set.first(64)->rank, 128u) << "the word that became empty is passed over";
}

}  // namespace
}  // namespace foxhunt::simt
