// SPDX-License-Identifier: MIT
#include "compare/report/json_parts.h"

#include "compare/report/json_report.h"
#include "compare/report/version.h"
#include "compare/report/words.h"

namespace foxhunt::json_parts {

void text_or_null(JsonWriter& json, std::string_view name, std::string_view text) {
  json.key(name);
  text.empty() ? json.null() : json.value(text);
}

namespace {

void letters_member(JsonWriter& json, std::string_view name, std::string_view letters) {
  json.key(name);
  json.begin_array(JsonWriter::Layout::one_line);
  for (const char& letter : letters) json.value(std::string_view(&letter, 1));
  json.end();
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

}  // namespace

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

void first_divergence(JsonWriter& json, std::uint32_t rank,
                      const std::optional<FirstDivergence>& first) {
  if (!first) return json.null();
  json.begin_object();
  first_divergence_members(json, rank, *first);
  json.end();
}

void provenance_members(JsonWriter& json, const ProvenanceDifference& difference) {
  json.member("key", difference.key);
  json.member("a", difference.a);
  json.member("b", difference.b);
}

void problem_members(JsonWriter& json, const Problem& problem) {
  json.member("code", problem.code);
  json.member("path", problem.path);
  json.member("message", problem.message);
}

void head(JsonWriter& json, Verdict verdict, int exit_code,
          const std::optional<bool>& within_tolerance) {
  json.begin_object();
  json.member("format", kReportFormat);
  json.member("foxhunt_version", foxhunt_version());
  json.member("verdict", verdict_name(verdict));
  json.member("exit_code", exit_code);
  json.member("within_tolerance", within_tolerance);
}

}  // namespace foxhunt::json_parts
