// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "kernels/simt/explore/case_report.h"

namespace foxhunt {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
  if (text.empty()) return nullptr;
  return text;
}

Json json_of(const OutputDifference& difference) {
  return {{"output", difference.output},
          {"type", difference.type},
          {"index", difference.index},
          {"in_order", text_or_null(difference.in_order)},
          {"other", text_or_null(difference.other)},
          {"in_order_bits", text_or_null(difference.in_order_bits)},
          {"other_bits", text_or_null(difference.other_bits)},
          {"elements", difference.elements},
          {"other_elements", difference.other_elements},
          {"differ", difference.differ}};
}

Json json_of(const Divergence& divergence, const CaseReport& report) {
  Json json = {{"schedule", divergence.number},
               {"policy", std::string(simt::name(divergence.schedule.policy))},
               {"seed", divergence.schedule.seed},
               {"described", simt::describe(divergence.schedule)},
               {"kernel", text_or_null(divergence.kernel)},
               {"repeats", divergence.repeats},
               {"error", text_or_null(divergence.outcome.error)},
               {"trace_file", text_or_null(report.trace_file)},
               {"decisions_recorded", divergence.decisions_recorded}};
  json["decisions"] = nullptr;
  if (divergence.trace) json["decisions"] = divergence.trace->decisions.size();
  json["first_byte"] = nullptr;
  if (divergence.first_byte) json["first_byte"] = *divergence.first_byte;
  json["first_element"] = nullptr;
  if (report.difference) json["first_element"] = json_of(*report.difference);
  return json;
}

Json json_of(const simt::Race::Access& side) {
  return {{"file", text_or_null(side.file)},
          {"line", side.line},
          {"function", text_or_null(side.function)},
          {"access", side.write ? "write" : "read"},
          {"atomic", side.atomic},
          {"bytes", side.bytes}};
}

Json json_of(const CaseReport& report) {
  const Exploration& exploration = report.exploration;
  Json json = {{"case", report.name},
               {"file", report.file},
               {"line", report.line},
               {"verdict", name(verdict(report))},
               {"schedules", exploration.schedules}};
  json["outcomes"] = Json::array();
  for (const ExploredOutcome& outcome : exploration.outcomes) {
    json["outcomes"].push_back({{"first_schedule", outcome.first_schedule},
                                {"count", outcome.count},
                                {"error", text_or_null(outcome.error)}});
  }
  json["divergence"] = nullptr;
  if (exploration.divergence) json["divergence"] = json_of(*exploration.divergence, report);
  if (report.as_recorded) json["as_recorded"] = *report.as_recorded;
  json["diagnostics"] = Json::array();
  for (const ExploredDiagnostic& one : exploration.diagnostics) {
    const simt::Diagnostic& mistake = one.diagnostic;
    json["diagnostics"].push_back({{"kind", std::string(simt::name(mistake.kind))},
                                   {"fatal", mistake.fatal},
                                   {"kernel", text_or_null(mistake.kernel)},
                                   {"file", text_or_null(mistake.file)},
                                   {"line", mistake.line},
                                   {"text", mistake.text},
                                   {"schedule", one.first_schedule}});
  }
  json["races"] = Json::array();
  for (const simt::Race& race : exploration.races) {
    json["races"].push_back({{"kernel", text_or_null(race.kernel)},
                             {"first", json_of(race.first)},
                             {"second", json_of(race.second)}});
  }
  return json;
}

}  // namespace

std::string json_of(const TargetReport& report) {
  Json json = {{"program", "explore-schedules"}, {"format", 1},
               {"target", report.target},        {"build", report.build},
               {"policy", report.policy},        {"seed", report.seed},
               {"exit_code", exit_code(report)}};
  json["cases"] = Json::array();
  for (const CaseReport& one : report.cases) json["cases"].push_back(json_of(one));
  // Text from outside need not be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace foxhunt
