// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/simt/executor.h"

namespace foxhunt::simt {

// The resident threads that can run, in a bitmap by rank: rank 0 is of the highest priority.
//
// Threads and ranks stay a bijection (a rank may be empty), whether the thread can run or not: two
// threads that share a rank lose each other's wake-ups.
class RunnableSet {
 public:
  // Forgets all threads; ranks 0 to `ranks` - 1 become empty.
  void reset(std::uint32_t ranks) {
    at_.assign(ranks, nullptr);
    words_.assign((ranks + 63) / 64, 0);
    summary_.assign((words_.size() + 63) / 64, 0);
    in_order_ = false;
  }

  // Adds empty ranks below all others, and returns the first.
  std::uint32_t grow(std::uint32_t more) {
    const std::uint32_t first = ranks();
    at_.resize(first + more, nullptr);
    words_.resize((at_.size() + 63) / 64, 0);
    summary_.resize((words_.size() + 63) / 64, 0);
    return first;
  }

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(at_.size()); }
  Thread* at(std::uint32_t rank) const { return at_[rank]; }

  // Puts a thread that cannot run yet at an empty rank.
  void place(Thread& thread, std::uint32_t rank) {
    at_[rank] = &thread;
    thread.rank = rank;
  }

  // Whether threads that lie side by side have ranks side by side.
  bool in_order() const { return in_order_; }
  void set_in_order() { in_order_ = true; }

  bool contains(const Thread& thread) const {
    return (words_[thread.rank >> 6] >> (thread.rank & 63) & 1) != 0;
  }
  void insert(const Thread& thread) {
    const std::uint32_t word = thread.rank >> 6;
    words_[word] |= std::uint64_t{1} << (thread.rank & 63);
    summary_[word >> 6] |= std::uint64_t{1} << (word & 63);
  }
  // Those at `count` ranks, from `rank` on.
  void insert_from(std::uint32_t rank, std::uint32_t count) {
    while (count > 0) {
      const std::uint32_t word = rank >> 6, bit = rank & 63, n = std::min(64 - bit, count);
      words_[word] |= ~std::uint64_t{0} >> (64 - n) << bit;
      summary_[word >> 6] |= std::uint64_t{1} << (word & 63);
      rank += n;
      count -= n;
    }
  }
  void remove(const Thread& thread) {
    const std::uint32_t word = thread.rank >> 6;
    if ((words_[word] &= ~(std::uint64_t{1} << (thread.rank & 63))) == 0) {
      summary_[word >> 6] &= ~(std::uint64_t{1} << (word & 63));
    }
  }

  // How many that can run stand side by side from `rank` on; no more than 64 are looked at.
  std::uint32_t run_from(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(std::countr_one(words_[rank >> 6] >> (rank & 63)));
  }
  // The first `count` of such a run.
  void remove_run(std::uint32_t rank, std::uint32_t count) {
    const std::uint32_t word = rank >> 6;
    if ((words_[word] &= ~(~std::uint64_t{0} >> (64 - count) << (rank & 63))) == 0) {
      summary_[word >> 6] &= ~(std::uint64_t{1} << (word & 63));
    }
  }

  // The first that can run, from `rank` on; null if there is none.
  Thread* first(std::uint32_t rank = 0) const {
    std::uint32_t word = rank >> 6;
    if (word >= words_.size()) return nullptr;
    const std::uint64_t here = words_[word] & ~std::uint64_t{0} << (rank & 63);
    if (here != 0) return at_[(word << 6) + lowest(here)];
    ++word;
    std::uint64_t above = ~std::uint64_t{0} << (word & 63);
    for (std::uint32_t s = word >> 6; s < summary_.size(); ++s, above = ~std::uint64_t{0}) {
      const std::uint64_t full = summary_[s] & above;
      if (full == 0) continue;
      word = (s << 6) + lowest(full);
      return at_[(word << 6) + lowest(words_[word])];
    }
    return nullptr;
  }

  // Exchanges the places of a thread and whoever is at `rank`, if anyone.
  void move(Thread& thread, std::uint32_t rank) {
    if (thread.rank == rank) return;
    in_order_ = false;
    Thread* const other = at_[rank];
    const bool can_run = contains(thread);
    const bool other_can_run = other != nullptr && contains(*other);
    if (can_run) remove(thread);
    if (other_can_run) remove(*other);
    const std::uint32_t left = thread.rank;
    at_[left] = other;
    if (other != nullptr) other->rank = left;
    place(thread, rank);
    if (can_run) insert(thread);
    if (other_can_run) insert(*other);
  }

  // Closes all gaps: the threads keep their order, and the empty ranks lie below them.
  void close_gaps() {
    std::uint32_t next = 0;
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
      if (at_[rank] != nullptr) move(*at_[rank], next++);
    }
  }

 private:
  static std::uint32_t lowest(std::uint64_t bits) {
    return static_cast<std::uint32_t>(std::countr_zero(bits));
  }

  bool in_order_ = false;
  std::vector<Thread*> at_;
  std::vector<std::uint64_t> words_;    // bit r % 64 of word r / 64: the thread at rank r can run
  std::vector<std::uint64_t> summary_;  // the same for words that are not 0
};

}  // namespace foxhunt::simt
