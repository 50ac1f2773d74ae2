// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "compare/runs/chunk_words_file.h"
#include "compare/runs/pair.h"
#include "compare/runs/result.h"
#include "compare/runs/run_file.h"
#include "dump/format/digest.h"
#include "dump/format/profile.h"

namespace foxhunt {

// One side of a pair whose bytes have to be read.
struct PayloadSide {
  const Directory* directory = nullptr;
  const Entry* entry = nullptr;
  const ChunkWordsFile* words = nullptr;
};

// What the comparison wants to know of a divergent buffer besides its Difference.
struct SecondLook {
  std::vector<Extent> valid_extent;  // empty: all of it
  bool order_free = false;
  std::optional<std::pair<double, double>> tolerance;  // rtol, atol
};

// Compares the payload of one side with the payload, or the digest, of the other: in steps, so that
// many threads can share the work of many pairs.
//
//   open()          once; then windows() is known
//   judge(w)        once for every w below windows(), in any order, on any thread
//   finish()        once, after all of them
//
// Nothing throws: what goes wrong becomes the status `unreadable` and a problem.
class PayloadPair {
 public:
  // Either entry may be of form digest, not both. `result` receives status, statistics and notes;
  // it and the sides must outlive the pair.
  PayloadPair(PayloadSide a, PayloadSide b, const Contract& contract, SecondLook look,
              BufferResult& result);

  void open() noexcept;
  std::size_t windows() const noexcept { return windows_; }
  void judge(std::size_t window) noexcept;
  void finish() noexcept;

  std::uint64_t bytes() const noexcept { return file_a_.size() + file_b_.size(); }
  std::vector<Problem>& problems() noexcept { return problems_; }

 private:
  struct SideState {
    PayloadSide side;
    RunFile* file;
    char label;  // 'a' or 'b'
    std::once_flag words_loaded;
    std::optional<std::vector<std::uint64_t>> words;
    std::atomic<bool> needs_whole_hash{false};  // its words are not there: verify otherwise
  };

  bool open_side(SideState& side);
  void judge_bytes(std::size_t window);
  void judge_digest(SideState& full, SideState& digest);
  bool check_words(SideState& side, std::uint64_t offset, std::span<const std::uint64_t> words);
  bool agrees(SideState& side, const BufferHasher::Result& digests);
  bool verify_whole(SideState& side);
  void join(std::size_t window, const Difference& part);
  void look_again();
  void fail(const char* code, const SideState& side, std::string message) noexcept;

  SideState a_, b_;
  RunFile file_a_, file_b_;
  std::optional<Shape> shape_;
  SecondLook look_;
  BufferResult& result_;
  DType dtype_;               // u8 where nobody knows the dtype
  std::uint64_t common_ = 0;  // bytes to compare: whole elements of the shorter side
  bool lengths_differ_ = false, partial_ = false;
  std::size_t windows_ = 0;

  std::mutex mutex_;  // of all below
  std::atomic<bool> failed_{false}, diverged_{false};
  Difference joined_;
  std::size_t next_to_join_ = 0;
  std::map<std::size_t, Difference> early_;  // judged before one that stands before it
  std::vector<Problem> problems_;
};

}  // namespace foxhunt
