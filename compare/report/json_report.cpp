// SPDX-License-Identifier: MIT
#include "compare/report/json_report.h"

#include <fmt/format.h>

#include "compare/report/json_buffer.h"
#include "compare/report/json_writer.h"
#include "compare/report/version.h"
#include "compare/report/words.h"
#include "dump/format/error.h"

namespace foxhunt {
namespace {

using Layout = JsonWriter::Layout;

void letters_member(JsonWriter& json, std::string_view name, std::string_view letters) {
  json.key(name);
  json.begin_array(Layout::one_line);
  for (const char& letter : letters) json.value(std::string_view(&letter, 1));
  json.end();
}

void text_or_null(JsonWriter& json, std::string_view name, std::string_view text) {
  json.key(name);
  text.empty() ? json.null() : json.value(text);
}

void write_origin(JsonWriter& json, const Origin& origin) {
  json.begin_object();
  json.member("buffer", origin.buffer);
  json.member("group", std::string_view(&origin.group, 1));
  json.member("occurrence", origin.occurrence);
  text_or_null(json, "kernel", origin.kernel);
  text_or_null(json, "site", origin.site);
  json.key("kind");
  origin.kernel.empty() ? json.null() : json.value(words::kind(origin.kind));
  json.member("determinism", words::determinism(origin.determinism));
  json.member("claim", claim_name(origin.claim));
  json.member("undumped_inputs", origin.undumped_inputs);
  letters_member(json, "undumped_groups", origin.undumped_groups);
  text_or_null(json, "advice", origin.advice);
  json.end();
}

// The members of a first divergence, into an open object.
void first_divergence_members(JsonWriter& json, std::uint32_t rank, const FirstDivergence& first) {
  json.member("step", first.step);
  json.member("occurrence", first.occurrence);
  json.member("rank", rank);
  letters_member(json, "groups", first.groups);
  json.key("origins");
  json.begin_array();
  for (const Origin& origin : first.origins) write_origin(json, origin);
  json.end();
  json.member("origins_not_listed", first.origins_not_listed);
  text_or_null(json, "common_undumped_ancestor", first.common_undumped_ancestor);
  json.member("sharing_ancestor", first.sharing);
  json.member("advice", first.advice);
}

void write_first_divergence(JsonWriter& json, std::uint32_t rank, const FirstDivergence* first) {
  if (first == nullptr) return json.null();
  json.begin_object();
  first_divergence_members(json, rank, *first);
  json.end();
}

void write_provenance(JsonWriter& json, const ProvenanceDifference& difference) {
  json.member("key", difference.key);
  json.member("a", difference.a);
  json.member("b", difference.b);
}

void write_problem(JsonWriter& json, const Problem& problem) {
  json.member("code", problem.code);
  json.member("path", problem.path);
  json.member("message", problem.message);
}

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
  text_or_null(json, "state", side.state);
  text_or_null(json, "run_id", side.run_id);
  text_or_null(json, "started_at", side.started_at);
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
  write_first_divergence(json, rank.rank,
                         rank.first_divergence ? &*rank.first_divergence : nullptr);
  json.key("table");
  json.begin_array();
  for (const TableRow& row : rank.table) write_table_row(json, row);
  json.end();
  json.member("never_dumped", rank.never_dumped);
  json.end();
}

void write_head(JsonWriter& json, Verdict verdict, int exit_code,
                const std::optional<bool>& within_tolerance) {
  json.begin_object();
  json.member("format", kReportFormat);
  json.member("foxhunt_version", foxhunt_version());
  json.member("verdict", verdict_name(verdict));
  json.member("exit_code", exit_code);
  json.member("within_tolerance", within_tolerance);
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
  write_head(json, comparison.verdict, exit_code, comparison.within_tolerance);
  json.member("runs", runs);
  text_or_null(json, "profile", comparison.profile_name);
  json.member("everything_compared", comparison.everything_compared);
  json.member("stopped_early", comparison.stopped_early);
  json.member("bytes_compared", comparison.bytes_compared);

  json.key("provenance_differences");
  json.begin_array();
  for (const ProvenanceDifference& difference : comparison.provenance_differences) {
    json.begin_object(Layout::one_line);
    write_provenance(json, difference);
    json.end();
  }
  json.end();

  const auto first = first_diverged_rank(comparison);
  json.key("first_divergence");
  if (first) {
    const RankComparison& rank = comparison.ranks[*first];
    write_first_divergence(json, rank.rank, &*rank.first_divergence);
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
    write_problem(json, problem);
    json.end();
  }
  json.end();
  json.member("problems_not_listed", comparison.problems_not_listed);
  finish(fd, where, std::move(head));
}

void JsonReport::write(int fd, std::string_view where, const Clustering& clustering,
                       const std::vector<std::string>& runs, int exit_code) const {
  std::string head;
  JsonWriter json(head);
  const auto pair_member = [&json](const PairResult& pair) {
    json.member("runs", std::vector<std::uint64_t>{pair.a, pair.b});
  };

  write_head(json, clustering.verdict, exit_code, clustering.within_tolerance);
  json.member("runs", runs);
  json.key("clusters");
  json.begin_array();
  for (const Cluster& cluster : clustering.clusters) {
    json.begin_object(Layout::one_line);
    json.member("members",
                std::vector<std::uint64_t>(cluster.members.begin(), cluster.members.end()));
    json.member("perhaps_equal_to", std::vector<std::uint64_t>(cluster.perhaps_equal_to.begin(),
                                                               cluster.perhaps_equal_to.end()));
    json.end();
  }
  json.end();

  json.key("provenance_differences");
  json.begin_array();
  for (const PairResult& pair : clustering.pairs) {
    for (const ProvenanceDifference& difference : pair.provenance_differences) {
      json.begin_object(Layout::one_line);
      pair_member(pair);
      write_provenance(json, difference);
      json.end();
    }
  }
  json.end();

  json.key("first_divergence");
  if (const PairResult* pair = first_split(clustering)) {
    json.begin_object();
    pair_member(*pair);
    first_divergence_members(json, pair->rank, *pair->first_divergence);
    json.end();
  } else {
    json.null();
  }
  // Reading stops at a pair's first divergent step, so nothing can be seen to heal.
  json.key("healed");
  json.begin_array();
  json.end();

  json.key("pairs");
  json.begin_array();
  for (const PairResult& pair : clustering.pairs) {
    json.begin_object();
    pair_member(pair);
    json.member("verdict", verdict_name(pair.verdict));
    json.member("within_tolerance", pair.within_tolerance);
    json.member("steps", pair.steps);
    json.member("equal", pair.equal);
    json.key("first_divergence");
    write_first_divergence(json, pair.rank,
                           pair.first_divergence ? &*pair.first_divergence : nullptr);
    json.end();
  }
  json.end();

  std::uint64_t not_listed = 0;
  json.key("problems");
  json.begin_array();
  for (const PairResult& pair : clustering.pairs) {
    not_listed += pair.problems_not_listed;
    for (const Problem& problem : pair.problems) {
      json.begin_object(Layout::one_line);
      pair_member(pair);
      write_problem(json, problem);
      json.end();
    }
  }
  json.end();
  json.member("problems_not_listed", not_listed);
  finish(fd, where, std::move(head));
}

}  // namespace foxhunt
