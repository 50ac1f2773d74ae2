// SPDX-License-Identifier: MIT
#include "compare/runs/logged_run.h"

#include <algorithm>
#include <bit>

#include "dump/format/error.h"
#include "dump/format/file_name.h"

namespace foxhunt {
namespace {

constexpr std::uint64_t kMaxMarkerBytes = 64u << 10;

// Stands for (step, occurrence, group, name); never 0. Two that meet by chance: 1 in 10^19.
std::uint64_t key_of(std::uint64_t step, std::uint32_t occurrence, char group,
                     std::string_view name) noexcept {
  std::uint64_t key = check_word(name) ^ (step * 0x9e3779b97f4a7c15u);
  key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93u;
  key ^= (std::uint64_t{occurrence} << 8 | static_cast<unsigned char>(group)) * 0xff51afd7ed558ccdu;
  key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93u;
  return key | 1;
}

}  // namespace

LoggedRun::LoggedRun(std::unique_ptr<Directory> directory) : Run(std::move(directory)) {
  const auto path_of = [this](const char* name) { return (directory_->path() / name).string(); };
  const std::string text = read_small_file(*directory_, kManifestFile, kMaxManifestBytes);
  ManifestHead head = manifest_head_from_json(text, path_of(kManifestFile));
  manifest_ = std::move(head.manifest);
  profile_text_ = head.profile_text;
  state_ = RunState::open;
  try {
    end_marker_ = end_marker_from_json(read_small_file(*directory_, kMarkerFile, kMaxMarkerBytes),
                                       path_of(kMarkerFile));
    state_ = end_marker_->state == EndState::complete ? RunState::complete : RunState::cut;
  } catch (const Error& e) {
    if (e.code() == Errc::version) throw;
    if (e.code() != Errc::missing) {
      problems_.push_back({"damaged_marker", path_of(kMarkerFile), e.what()});
    }
  }
  try {
    log_ = RunFile(*directory_, kStepLogFile);
    reader_.emplace(
        [this](std::span<char> out) {
          const std::size_t take = static_cast<std::size_t>(
              std::min<std::uint64_t>(out.size(), log_.size() - log_offset_));
          log_.read(log_offset_, std::as_writable_bytes(out.first(take)));
          log_offset_ += take;
          return take;
        },
        path_of(kStepLogFile));
  } catch (const Error& e) {
    // A writer makes the log right after the manifest: only an open run may lack it.
    if (e.code() != Errc::missing || state_ != RunState::open) {
      problems_.push_back({"missing_log", path_of(kStepLogFile), e.what()});
    }
  }
}

std::optional<Run::Step> LoggedRun::next_step() {
  const auto step = reader_ ? reader_->next() : std::nullopt;
  if (!step) {
    if (!finished_) finish();
    return std::nullopt;
  }
  last_step_ = step->step;
  entries_.clear();
  entries_.reserve(step->records.size());
  keys_.assign(std::bit_ceil(step->records.size() * 2 + 1), 0);
  for (const Record& record : step->records) {
    const std::uint64_t key = key_of(record.step, record.occurrence, record.group, record.name);
    if (is_repeated(key)) {
      add_problem(
          "duplicate_record", kStepLogFile,
          fmt::format("record {} (step {}, occurrence {}, {}) repeats an earlier one of its "
                      "step; only the first was compared",
                      record.sequence, record.step, record.occurrence, record.name));
      continue;
    }
    if (record.form == Form::full) payloads_.push_back(key);
    Entry& entry = entries_.emplace_back();
    entry.step = record.step;
    entry.occurrence = record.occurrence;
    entry.group = record.group;
    entry.name = record.name;
    entry.dtype = record.dtype;
    entry.shape = record.shape;
    entry.form = record.form;
    entry.logged = true;
    entry.sequence = record.sequence;
    entry.bytes = record.bytes;
    entry.payload = record.payload;
    entry.chunked = record.chunked;
    entry.words_at = record.words_at;
  }
  return Step{step->step, entries_};
}

bool LoggedRun::is_repeated(std::uint64_t key) {
  const std::size_t mask = keys_.size() - 1;
  for (std::size_t at = key & mask;; at = (at + 1) & mask) {
    if (keys_[at] == key) return true;
    if (keys_[at] != 0) continue;
    keys_[at] = key;
    return false;
  }
}

void LoggedRun::finish() {
  finished_ = true;
  const auto tail = reader_ ? reader_->tail() : StepLogReader::Tail::clean;
  const bool unfinished_is_natural = state_ == RunState::open;
  if (tail == StepLogReader::Tail::damaged ||
      (tail == StepLogReader::Tail::unfinished && !unfinished_is_natural)) {
    problems_.push_back(
        {"damaged_log", (directory_->path() / kStepLogFile).string(), reader_->tail_message()});
  }
  const std::string steps =
      last_step_ ? fmt::format("{} steps, the last one {}", reader_->committed_steps(), *last_step_)
                 : std::string("no step at all");
  if (state_ == RunState::open) {
    add_problem(
        "open_run", "",
        fmt::format("is still being written, or its writer died: it has no {}. It holds {}; "
                    "what is compared goes only so far",
                    kMarkerFile, steps));
  } else if (state_ == RunState::cut) {
    add_problem("cut_run", "",
                fmt::format("was cut short ({}) and holds {}; what is compared goes only so far",
                            end_marker_->reason, steps));
  }
  if (end_marker_) check_marker();
  check_stale_files();
  if (log_.is_open() && !log_.unchanged()) {
    add_problem("changed_while_read", kStepLogFile,
                "changed while it was read; compare again when nobody writes to it");
  }
}

void LoggedRun::check_marker() {
  if (end_marker_->run_id != manifest_->run_id) {
    add_problem("marker_mismatch", kMarkerFile,
                fmt::format("belongs to run {}, but the manifest to run {}: files of two runs were "
                            "mixed",
                            end_marker_->run_id, manifest_->run_id));
    return;
  }
  const std::uint64_t steps = reader_ ? reader_->committed_steps() : 0;
  const std::uint64_t records = reader_ ? reader_->records() : 0;
  const bool same_log = !reader_ || reader_->running_check() == end_marker_->running_check;
  if (end_marker_->committed_steps != steps || end_marker_->records != records || !same_log) {
    add_problem("marker_mismatch", kMarkerFile,
                fmt::format("counts {} steps with {} records, but {} holds {} with {}: the log was "
                            "cut or changed after the run had ended",
                            end_marker_->committed_steps, end_marker_->records, kStepLogFile, steps,
                            records));
  }
}

// A dump file that no record speaks of is of another run, or of a step that was never committed.
void LoggedRun::check_stale_files() {
  std::sort(payloads_.begin(), payloads_.end());
  directory_->for_each_name([this](std::string_view name) {
    if (!claims_to_be_dump(name)) return;
    const auto parsed = parse_dump_file_name(name);
    if (parsed) {
      const std::uint64_t key =
          key_of(parsed->step, parsed->occurrence, parsed->group, parsed->name);
      if (std::binary_search(payloads_.begin(), payloads_.end(), key)) return;
      // Left by a step that was never committed.
      const bool is_later = !last_step_ || parsed->step > *last_step_;
      if (state_ != RunState::complete && is_later) return;
    }
    add_problem("stale_file", name,
                "is in no record of this run's log: it belongs to another run or was renamed; move "
                "it out of the run");
  });
}

}  // namespace foxhunt
