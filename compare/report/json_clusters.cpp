// SPDX-License-Identifier: MIT
#include "compare/report/json_parts.h"
#include "compare/report/json_report.h"

namespace foxhunt {

void JsonReport::write(int fd, std::string_view where, const Clustering& clustering,
                       const std::vector<std::string>& runs, int exit_code) const {
  std::string head;
  JsonWriter json(head);
  const auto pair_member = [&json](const PairResult& pair) {
    json.member("runs", std::vector<std::uint64_t>{pair.a, pair.b});
  };

  json_parts::head(json, clustering.verdict, exit_code, clustering.within_tolerance);
  json.member("runs", runs);
  json.key("clusters");
  json.begin_array();
  for (const Cluster& cluster : clustering.clusters) {
    json.begin_object(JsonWriter::Layout::one_line);
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
      json.begin_object(JsonWriter::Layout::one_line);
      pair_member(pair);
      json_parts::provenance_members(json, difference);
      json.end();
    }
  }
  json.end();

  json.key("first_divergence");
  if (const PairResult* pair = first_split(clustering)) {
    json.begin_object();
    pair_member(*pair);
    json_parts::first_divergence_members(json, pair->rank, *pair->first_divergence);
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
    json_parts::first_divergence(json, pair.rank, pair.first_divergence);
    json.end();
  }
  json.end();

  std::uint64_t not_listed = 0;
  json.key("problems");
  json.begin_array();
  for (const PairResult& pair : clustering.pairs) {
    not_listed += pair.problems_not_listed;
    for (const Problem& problem : pair.problems) {
      json.begin_object(JsonWriter::Layout::one_line);
      pair_member(pair);
      json_parts::problem_members(json, problem);
      json.end();
    }
  }
  json.end();
  json.member("problems_not_listed", not_listed);
  finish(fd, where, std::move(head));
}

}  // namespace foxhunt
