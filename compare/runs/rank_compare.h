// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compare/runs/chunk_words_file.h"
#include "compare/runs/comparison.h"
#include "compare/runs/pair.h"
#include "compare/runs/payload_pair.h"
#include "compare/runs/run.h"
#include "compare/runs/worker_pool.h"
#include "compare/verdict/walk.h"

namespace foxhunt {

// What all ranks of a comparison share.
struct CompareContext {
  const CompareOptions& options;
  ResultSink& sink;
  WorkerPool& pool;
  Comparison& result;             // problems and totals go here
  std::uint64_t total_bytes = 0;  // of both runs, for progress; 0: unknown

  // Keeps the first kMaxProblems.
  void add_problem(Problem problem);
};

// Compares the runs of one rank step by step: aligns, reads what has to be read, hands results to
// the sink in order, and walks the dataflow.
class RankCompare {
 public:
  RankCompare(CompareContext& context, std::uint32_t rank, Run& a, Run& b, const Profile& profile);
  ~RankCompare();

  RankComparison run();

 private:
  struct Item;
  struct Block;

  void add_step(std::uint64_t step, std::span<const Entry> a, std::span<const Entry> b);
  void judge_records(Item& item, const Pair& pair);
  void note_missing_step(std::uint64_t step, bool only_in_a);
  void report_missing_steps();
  bool flush();  // false: stop here (--first)
  void read_payloads();
  void emit(Block& block);
  void emit_item(const Block& block, Item& item);
  void report_missing(const Block& block, const Item& item);
  void add_table_row(const Block& block);
  void note_healed(const Block& block);
  bool is_selected(const Entry& entry);

  CompareContext& context_;
  Run &a_, &b_;
  const Profile& profile_;
  ChunkWordsFile words_a_, words_b_;
  Walk walk_;
  RankComparison result_;

  std::vector<Block> batch_;
  std::size_t batch_items_ = 0, batch_payloads_ = 0;
  std::uint64_t batch_bytes_ = 0;

  struct StepRange {
    std::uint64_t first, last, steps;
  };
  std::vector<StepRange> only_in_a_, only_in_b_;
  std::unordered_map<std::string, std::uint64_t> diverged_now_;  // buffer -> last divergent step
  std::unordered_map<std::string, bool> selected_;               // filter results by group and name
  std::uint64_t benign_ = 0;
  std::vector<Instance> instances_;
  std::vector<Entry> filtered_a_, filtered_b_;
};

}  // namespace foxhunt
