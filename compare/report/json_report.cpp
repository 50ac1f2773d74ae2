// SPDX-License-Identifier: MIT
#include "compare/report/json_report.h"

#include <fmt/format.h>

#include "compare/report/json_buffer.h"
#include "compare/report/json_parts.h"
#include "compare/report/words.h"
#include "dump/format/error.h"

namespace foxhunt {
namespace {

using Layout = JsonWriter::Layout;

void write_table_row(JsonWriter& json, const TableRow& row) {
  json.begin_object(Layout::one_line);
  json.member("first_step", row.first_step);
  json.member("last_step", row.last_step);
  json.member("steps", row.steps);
  json.key("groups");
  json.begin_object();
  for (int i = 0; i < 26; ++i) {
    if (row.cells[i] == Cell::not_dumped) continue;
    const char letter = static_cast<char>('a' + i);
    json.member(std::string_view(&letter, 1), words::cell(row.cells[i]));
  }
  json.end();
  json.end();
}

void write_side(JsonWriter& json, std::string_view name, const RunSide& side) {
  json.key(name);
  json.begin_object(Layout::one_line);
  json_parts::text_or_null(json, "state", side.state);
  json_parts::text_or_null(json, "run_id", side.run_id);
  json_parts::text_or_null(json, "started_at", side.started_at);
  json.end();
}

void write_rank(JsonWriter& json, const RankComparison& rank) {
  json.begin_object();
  json.member("rank", rank.rank);
  json.member("verdict", verdict_name(rank.verdict));
  write_side(json, "a", rank.a);
  write_side(json, "b", rank.b);
  json.member("steps", rank.steps);
  json.member("equal", rank.equal);
  json.member("diverged", rank.diverged);
  json.member("other", rank.other);
  json.member("benign_only", rank.benign_only);
  json.key("first_divergence");
  json_parts::first_divergence(json, rank.rank, rank.first_divergence);
  json.key("table");
  json.begin_array();
  for (const TableRow& row : rank.table) write_table_row(json, row);
  json.end();
  json.member("never_dumped", rank.never_dumped);
  json.end();
}

}  // namespace

void JsonReport::buffer(const BufferResult& result) {
  if (!trouble_.empty()) {
    ++not_listed_;
    return;
  }
  try {
    spool_.append((listed_ == 0 ? "\n    " : ",\n    ") + buffer_json(result, extra_));
    ++listed_;
  } catch (const Error& error) {
    trouble_ = error.what();
    ++not_listed_;
  }
}

void JsonReport::set_pair(std::size_t a, std::size_t b) {
  extra_ = fmt::format("\"runs\": [{}, {}], ", a, b);
}

void JsonReport::finish(int fd, std::string_view where, std::string head) const {
  head += fmt::format(",\n  \"buffers_not_listed\": {},\n  \"buffers_trouble\": ", not_listed_);
  trouble_.empty() ? void(head += "null") : append_json_string(head, trouble_);
  head += ",\n  \"buffers\": [";
  write_fully(fd, head, where);
  spool_.copy_to(fd, where);
  write_fully(fd, listed_ == 0 ? "]\n}\n" : "\n  ]\n}\n", where);
}

void JsonReport::write(int fd, std::string_view where, const Comparison& comparison,
                       const std::vector<std::string>& runs, int exit_code) const {
  FOXHUNT_ASSERT(runs.size() == 2);
  std::string head;
  JsonWriter json(head);
  json_parts::head(json, comparison.verdict, exit_code, comparison.within_tolerance);
  json.member("runs", runs);
  json_parts::text_or_null(json, "profile", comparison.profile_name);
  json_parts::text_or_null(json, "selection", comparison.selection);
  json.member("everything_compared", comparison.everything_compared);
  json.member("stopped_early", comparison.stopped_early);
  json.member("bytes_compared", comparison.bytes_compared);

  json.key("provenance_differences");
  json.begin_array();
  for (const ProvenanceDifference& difference : comparison.provenance_differences) {
    json.begin_object(Layout::one_line);
    json_parts::provenance_members(json, difference);
    json.end();
  }
  json.end();

  const auto first = first_diverged_rank(comparison);
  json.key("first_divergence");
  if (first) {
    const RankComparison& rank = comparison.ranks[*first];
    json_parts::first_divergence(json, rank.rank, rank.first_divergence);
  } else {
    json.null();
  }

  json.key("healed");
  json.begin_array();
  for (const RankComparison& rank : comparison.ranks) {
    for (const Healed& healed : rank.healed) {
      json.begin_object(Layout::one_line);
      json.member("rank", rank.rank);
      json.member("buffer", healed.buffer);
      json.member("diverged_step", healed.diverged_step);
      json.member("equal_step", healed.equal_step);
      json.end();
    }
  }
  json.end();

  json.key("ranks");
  json.begin_array();
  for (const RankComparison& rank : comparison.ranks) write_rank(json, rank);
  json.end();

  json.key("problems");
  json.begin_array();
  for (const Problem& problem : comparison.problems) {
    json.begin_object(Layout::one_line);
    json_parts::problem_members(json, problem);
    json.end();
  }
  json.end();
  json.member("problems_not_listed", comparison.problems_not_listed);
  finish(fd, where, std::move(head));
}

}  // namespace foxhunt
