// SPDX-License-Identifier: MIT
#include "compare/runs/rank_compare.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <unordered_set>

#include "compare/runs/second_look.h"
#include "compare/runs/window.h"
#include "dump/format/error.h"

namespace foxhunt {
namespace {

// A batch is what the threads share at a time: enough to keep them busy over small files, little
// enough that open files and results stay few.
constexpr std::size_t kBatchItems = 4096;
constexpr std::size_t kBatchPayloads = 256;
constexpr std::uint64_t kBatchBytes = std::uint64_t{512} << 20;

}  // namespace

void CompareContext::add_problem(Problem problem) {
  if (result.problems.size() < kMaxProblems) {
    result.problems.push_back(std::move(problem));
  } else {
    ++result.problems_not_listed;
  }
}

// What is kept of a pair once its step has been read over.
struct Detail {
  Entry a, b;
  BufferResult result;
  std::optional<PayloadPair> payload;
};

struct RankCompare::Item {
  std::string_view name;
  std::uint32_t occurrence = 0;
  char group = 'a';
  Status status = Status::equal;
  std::unique_ptr<Detail> detail;  // null: equal by digests, and nobody asked for more
};

struct RankCompare::Block {
  std::uint64_t step = 0;
  bool in_both = true;
  std::vector<Item> items;
  std::unique_ptr<char[]> text;  // what the items' names and the entries' shapes point to
};

RankCompare::RankCompare(CompareContext& context, std::uint32_t rank, Run& a, Run& b,
                         const Profile& profile)
    : context_(context), a_(a), b_(b), profile_(profile), words_a_(a), words_b_(b), walk_(profile) {
  result_.rank = rank;
}

RankCompare::~RankCompare() = default;

bool RankCompare::is_selected(const Entry& entry) {
  const NameFilter& filter = context_.options.filter;
  const auto [at, is_new] = selected_.try_emplace(entry.group + std::string(entry.name), false);
  if (is_new) at->second = filter.accepts(entry.group, entry.name);
  return at->second;
}

RankComparison RankCompare::run() {
  const CompareOptions& options = context_.options;
  const auto select = [&](std::span<const Entry> all, std::vector<Entry>& kept) {
    if (options.filter.accepts_everything()) return all;
    kept.clear();
    std::copy_if(all.begin(), all.end(), std::back_inserter(kept),
                 [this](const Entry& entry) { return is_selected(entry); });
    return std::span<const Entry>(kept);
  };
  bool stopped = false;
  auto a = a_.next_step(), b = b_.next_step();
  while ((a || b) && !stopped) {
    const bool take_a = a && (!b || a->step <= b->step);
    const bool take_b = b && (!a || b->step <= a->step);
    const std::uint64_t step = take_a ? a->step : b->step;
    if (options.steps.contains(step)) {
      if (take_a != take_b) note_missing_step(step, take_a);
      add_step(step, take_a ? select(a->entries, filtered_a_) : std::span<const Entry>(),
               take_b ? select(b->entries, filtered_b_) : std::span<const Entry>());
      batch_.back().in_both = take_a && take_b;
      const bool is_full = batch_items_ >= kBatchItems || batch_payloads_ >= kBatchPayloads ||
                           batch_bytes_ >= kBatchBytes;
      if (is_full || options.first_only) stopped = !flush();
    }
    if (take_a) a = a_.next_step();
    if (take_b) b = b_.next_step();
  }
  if (!stopped) flush();
  context_.result.stopped_early |= stopped;
  report_missing_steps();
  for (Run* run : {&a_, &b_}) {
    for (const Problem& problem : run->problems()) context_.add_problem(problem);
  }
  result_.first_divergence = walk_.first_divergence();
  result_.never_dumped = walk_.never_dumped();
  result_.benign_only = result_.diverged > 0 && result_.diverged == benign_;
  return std::move(result_);
}

void RankCompare::add_step(std::uint64_t step, std::span<const Entry> a, std::span<const Entry> b) {
  Block& block = batch_.emplace_back();
  block.step = step;
  const std::vector<Pair> pairs = align(a, b);
  std::size_t text_bytes = 0;
  for (const Pair& pair : pairs) {
    text_bytes += pair.either().name.size();
    if (pair.a != nullptr) text_bytes += pair.a->shape.size();
    if (pair.b != nullptr) text_bytes += pair.b->shape.size();
  }
  block.text = std::make_unique_for_overwrite<char[]>(text_bytes);
  char* free = block.text.get();
  const auto keep = [&free](std::string_view text) {
    if (!text.empty()) std::memcpy(free, text.data(), text.size());
    const std::string_view kept(free, text.size());
    free += text.size();
    return kept;
  };
  block.items.resize(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Entry& entry = pairs[i].either();
    Item& item = block.items[i];
    item.name = keep(entry.name);
    item.occurrence = entry.occurrence;
    item.group = entry.group;
    judge_records(item, pairs[i]);
    if (!item.detail || !item.detail->payload) continue;
    for (Entry* side : {&item.detail->a, &item.detail->b}) {
      side->name = item.name;
      side->shape = keep(side->shape);
      batch_bytes_ += side->logged && side->form == Form::full ? side->bytes : 0;
    }
    ++batch_payloads_;
  }
  batch_items_ += pairs.size();
}

// Judges a pair as far as its records go; where bytes have to be read, leaves a PayloadPair.
void RankCompare::judge_records(Item& item, const Pair& pair) {
  if (pair.a == nullptr || pair.b == nullptr) {
    item.status = pair.a == nullptr ? Status::missing_in_a : Status::missing_in_b;
  } else {
    const Entry &a = *pair.a, &b = *pair.b;
    const bool by_records = a.logged && b.logged && a.dtype == b.dtype && a.shape == b.shape &&
                            (a.form == Form::digest && b.form == Form::digest);
    const bool equal = by_records && a.bytes == b.bytes && a.chunked == b.chunked;
    if (equal && !context_.options.list_equal) return;
  }
  item.detail = std::make_unique<Detail>();
  BufferResult& result = item.detail->result;
  const Entry& entry = pair.either();
  result.rank = result_.rank;
  result.occurrence = item.occurrence;
  result.group = item.group;
  result.name = item.name;
  result.dtype = entry.dtype;
  if (!entry.shape.empty()) result.shape = parse_shape(entry.shape);
  if (entry.logged) result.elements = entry.bytes / dtype_size(*entry.dtype);
  if (item.status != Status::equal) {
    (pair.a != nullptr ? result.elements_a : result.elements_b) = result.elements;
    return;
  }

  const Entry &a = *pair.a, &b = *pair.b;
  Contract contract = agree(a, b);
  if (!contract.comparable) {
    item.status = Status::incomparable;
    result.note = contract.why;
    return;
  }
  result.dtype = contract.dtype;
  const ProfileBuffer* const known = profile_.find(item.name, item.group);
  if (!contract.shape && a.shape.empty() && b.shape.empty() && known != nullptr) {
    contract.shape = known->bound_shape();
  }
  result.shape = contract.shape;
  if (a.form == Form::digest && b.form == Form::digest) {
    result.by_digest = true;
    result.elements_a = a.bytes / dtype_size(*a.dtype);
    result.elements_b = b.bytes / dtype_size(*b.dtype);
    result.elements = std::min(result.elements_a, result.elements_b);
    if (a.bytes == b.bytes && a.chunked == b.chunked) return;
    item.status = Status::diverged;
    if (a.bytes != b.bytes) return;
    const auto words_a = words_a_.read(a), words_b = words_b_.read(b);
    if (words_a && words_b) name_chunks(*words_a, *words_b, result);
    return;
  }

  SecondLook look;
  if (known != nullptr) {
    look.valid_extent = known->valid_extent;
    look.order_free = known->order_free;
  }
  for (const ToleranceRule& rule : context_.options.tolerances) {
    if (!rule.pattern.matches(item.name)) continue;
    look.tolerance = {rule.rtol, rule.atol};
    break;
  }
  item.detail->a = a;
  item.detail->b = b;
  item.detail->payload.emplace(PayloadSide{&a_.directory(), &item.detail->a, &words_a_},
                               PayloadSide{&b_.directory(), &item.detail->b, &words_b_}, contract,
                               std::move(look), result);
}

void RankCompare::read_payloads() {
  std::vector<Detail*> details;
  for (Block& block : batch_) {
    for (Item& item : block.items) {
      if (item.detail && item.detail->payload) details.push_back(item.detail.get());
    }
  }
  std::atomic<std::uint64_t> bytes_done{context_.result.bytes_compared};
  const auto progress = [&] { context_.sink.progress(bytes_done, context_.total_bytes); };
  // Small pairs are done with at once; the windows of large ones are shared among the threads.
  context_.pool.run(
      details.size(),
      [&](std::size_t i) {
        PayloadPair& pair = *details[i]->payload;
        pair.open();
        if (pair.windows() > 1) return;
        if (pair.windows() == 1) pair.judge(0);
        pair.finish();
        bytes_done += pair.bytes();
      },
      progress);
  struct Job {
    PayloadPair* pair;
    std::size_t window;
  };
  std::vector<Job> jobs;
  std::vector<PayloadPair*> large;
  for (Detail* detail : details) {
    PayloadPair& pair = *detail->payload;
    if (pair.windows() <= 1) continue;
    large.push_back(&pair);
    for (std::size_t w = 0; w < pair.windows(); ++w) jobs.push_back({&pair, w});
  }
  context_.pool.run(
      jobs.size(),
      [&](std::size_t i) {
        jobs[i].pair->judge(jobs[i].window);
        bytes_done += 2 * kWindowBytes;
      },
      progress);
  context_.pool.run(large.size(), [&](std::size_t i) { large[i]->finish(); });
  for (Detail* detail : details) context_.result.bytes_compared += detail->payload->bytes();
}

bool RankCompare::flush() {
  read_payloads();
  bool go_on = true;
  for (Block& block : batch_) {
    emit(block);
    const bool diverged = std::any_of(block.items.begin(), block.items.end(), [](const Item& item) {
      return item.status == Status::diverged;
    });
    if (context_.options.first_only && diverged) {
      go_on = false;
      break;
    }
  }
  batch_.clear();
  batch_items_ = batch_payloads_ = 0;
  batch_bytes_ = 0;
  return go_on;
}

void RankCompare::emit(Block& block) {
  instances_.clear();
  for (Item& item : block.items) emit_item(block, item);
  add_table_row(block);
  if (!block.in_both) return;
  ++result_.steps;
  walk_.add_step(block.step, instances_);
  note_healed(block);
}

void RankCompare::emit_item(const Block& block, Item& item) {
  Evidence evidence = Evidence::equal;
  std::uint64_t first_index = 0;
  if (item.detail) {
    BufferResult& result = item.detail->result;
    result.step = block.step;
    if (item.detail->payload) {
      item.status = result.status;
      for (Problem& problem : item.detail->payload->problems()) {
        context_.add_problem(std::move(problem));
      }
    }
    result.status = item.status;
    report_missing(block, item);
    if (item.status != Status::equal) evidence = Evidence::unknown;
    if (item.status == Status::diverged && !is_benign(result)) evidence = Evidence::diverged;
    if (is_benign(result)) ++benign_;
    if (result.difference && result.difference->differing > 0) {
      first_index = result.difference->first_index;
    }
    if (result.status == Status::diverged && !context_.options.tolerances.empty()) {
      auto& within = context_.result.within_tolerance;
      within = within.value_or(true) && result.tolerance && result.tolerance->within;
    }
    if (item.status != Status::equal || context_.options.list_equal) context_.sink.buffer(result);
  }
  switch (item.status) {
    case Status::equal:
      ++result_.equal;
      break;
    case Status::diverged:
      ++result_.diverged;
      break;
    default:
      ++result_.other;
  }
  instances_.push_back({item.name, item.group, item.occurrence, evidence, first_index});
}

void RankCompare::report_missing(const Block& block, const Item& item) {
  const BufferResult& result = item.detail->result;
  if (item.status == Status::incomparable) {
    context_.add_problem(
        {"incomparable", "",
         fmt::format("step {}, occurrence {}, {} {}: {}: the runs were not recorded "
                     "under the same contract, so its bytes were not compared",
                     block.step, item.occurrence, item.group, item.name, result.note)});
  }
  const bool is_missing =
      item.status == Status::missing_in_a || item.status == Status::missing_in_b;
  if (!is_missing || !block.in_both || item.detail->payload) return;
  const bool only_in_a = item.status == Status::missing_in_b;
  const Run& there = only_in_a ? a_ : b_;
  const Run& not_there = only_in_a ? b_ : a_;
  context_.add_problem(
      {"missing_buffer", not_there.directory().path().string(),
       fmt::format(
           "step {}, occurrence {}, {} {}: is in {} but not in {}: control flow differs, or "
           "its file was removed",
           block.step, item.occurrence, item.group, item.name, there.directory().path().string(),
           not_there.directory().path().string())});
}

void RankCompare::add_table_row(const Block& block) {
  TableRow row;
  row.first_step = row.last_step = block.step;
  row.steps = 1;
  for (const Item& item : block.items) {
    Cell& cell = row.cells[item.group - 'a'];
    const Cell mine = item.status == Status::equal      ? Cell::equal
                      : item.status == Status::diverged ? Cell::diverged
                                                        : Cell::trouble;
    // One divergent buffer makes the cell divergent, whatever else is there; then trouble counts.
    const auto weight = [](Cell c) {
      return c == Cell::diverged ? 3 : c == Cell::trouble ? 2 : c == Cell::equal ? 1 : 0;
    };
    if (weight(mine) > weight(cell)) cell = mine;
  }
  auto& table = result_.table;
  if (!table.empty() &&
      std::equal(std::begin(row.cells), std::end(row.cells), std::begin(table.back().cells))) {
    table.back().last_step = block.step;
    ++table.back().steps;
  } else {
    table.push_back(row);
  }
}

void RankCompare::note_healed(const Block& block) {
  std::unordered_set<std::string_view> diverged_here;
  for (const Item& item : block.items) {
    if (item.status == Status::diverged) diverged_here.insert(item.name);
  }
  if (!diverged_now_.empty()) {
    for (const Item& item : block.items) {
      if (item.status != Status::equal || diverged_here.contains(item.name)) continue;
      const auto found = diverged_now_.find(std::string(item.name));
      if (found == diverged_now_.end()) continue;
      result_.healed.push_back({found->first, found->second, block.step});
      diverged_now_.erase(found);
    }
  }
  for (const std::string_view name : diverged_here) {
    diverged_now_[std::string(name)] = block.step;
  }
}

void RankCompare::note_missing_step(std::uint64_t step, bool only_in_a) {
  auto& ranges = only_in_a ? only_in_a_ : only_in_b_;
  if (!ranges.empty() && ranges.back().last + 1 == step) {
    ranges.back().last = step;
    ++ranges.back().steps;
  } else {
    ranges.push_back({step, step, 1});
  }
}

void RankCompare::report_missing_steps() {
  const auto report = [this](const std::vector<StepRange>& ranges, const Run& there,
                             const Run& not_there) {
    for (const StepRange& range : ranges) {
      const std::string steps = range.first == range.last
                                    ? fmt::format("step {} is", range.first)
                                    : fmt::format("steps {}-{} are", range.first, range.last);
      context_.add_problem(
          {"missing_step", not_there.directory().path().string(),
           fmt::format("{} in {} but not in {}: the runs do not hold the same steps", steps,
                       there.directory().path().string(), not_there.directory().path().string())});
    }
  };
  report(only_in_a_, a_, b_);
  report(only_in_b_, b_, a_);
}

}  // namespace foxhunt
