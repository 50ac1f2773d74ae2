// SPDX-License-Identifier: MIT
#include "dump/format/manifest.h"

#include <algorithm>

#include "dump/format/digest.h"
#include "dump/format/error.h"
#include "dump/format/file_name.h"
#include "dump/format/json_reading.h"
#include "dump/format/profile_json.h"
#include "dump/format/step_set.h"

namespace foxhunt {
namespace {

constexpr std::size_t kMaxText = 1 << 16;
constexpr std::uint64_t kMaxWorldSize = ~std::uint32_t{0};
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

std::uint32_t read_version(const json::Node& root, const json::Source& source) {
  const std::uint64_t version = root.at("version").number(kNoLimit);
  if (version != kFormatVersion) {
    throw Error(Errc::version,
                "{}: run format {}, but this foxhunt reads {}; record the run again, or compare it "
                "with the foxhunt that wrote it",
                source.where, version, kFormatVersion);
  }
  return kFormatVersion;
}

std::string read_run_id(const json::Node& root) {
  const json::Node node = root.at("run_id");
  std::string id = node.text(64);
  if (!parse_digest(id)) node.fail("32 lower-case hex digits");
  return id;
}

// "2026-12-01T03:23:45Z", or nothing.
std::string read_time(const json::Node& root, std::string_view key) {
  const auto node = root.find(key);
  if (!node) return {};
  std::string text = node->text(32);
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
  const bool fits = text.size() == kForm.size() &&
                    std::equal(text.begin(), text.end(), kForm.begin(), [](char c, char form) {
                      return form == 'd' ? c >= '0' && c <= '9' : c == form;
                    });
  if (!text.empty() && !fits) node->fail("a time such as \"2026-12-01T03:23:45Z\"");
  return text;
}

std::string optional_text(const json::Node& root, std::string_view key) {
  const auto node = root.find(key);
  return node ? node->text(kMaxText) : std::string();
}

std::vector<std::string> optional_texts(const json::Node& root, std::string_view key) {
  std::vector<std::string> texts;
  if (const auto node = root.find(key)) {
    for (std::size_t i = 0; i < node->size(); ++i) texts.push_back((*node)[i].text(kMaxText));
  }
  return texts;
}

void read_wishes(const json::Node& root, Manifest& manifest) {
  manifest.steps = optional_text(root, "steps");
  manifest.groups = optional_text(root, "groups");
  manifest.include = optional_texts(root, "include");
  manifest.exclude = optional_texts(root, "exclude");
  if (const auto node = root.find("max_bytes")) manifest.max_bytes = node->number(kNoLimit);
  if (!manifest.steps.empty()) {
    try {
      StepSet::parse(manifest.steps);
    } catch (const Error&) {
      root.at("steps").fail("steps such as \"0-3,100,200-\" or \"all\"");
    }
  }
  if (!std::all_of(manifest.groups.begin(), manifest.groups.end(),
                   [](char c) { return c == ',' || is_group(c); })) {
    root.at("groups").fail("letters from a to z");
  }
}

std::string texts_to_json(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ", ";
    out += json::quoted(text);
  }
  return out + "]";
}

}  // namespace

std::string manifest_to_json(const Manifest& m) {
  std::string out = fmt::format("{{\n\"version\": {},\n\"run_id\": \"{}\",\n", m.version, m.run_id);
  const auto add = [&out](std::string_view key, const std::string& value) {
    out += fmt::format("\"{}\": {},\n", key, value);
  };
  add("started_at", json::quoted(m.started_at));
  add("mode", m.mode == DumpMode::full ? "\"full\"" : "\"digest\"");
  add("steps", json::quoted(m.steps));
  add("groups", json::quoted(m.groups));
  add("include", texts_to_json(m.include));
  add("exclude", texts_to_json(m.exclude));
  add("max_bytes", std::to_string(m.max_bytes));
  add("rank", std::to_string(m.rank));
  add("world_size", std::to_string(m.world_size));
  std::string provenance;
  for (const auto& [key, value] : m.provenance) {
    provenance += fmt::format("{}\n {}: {}", provenance.empty() ? "" : ",", json::quoted(key),
                              json::quoted(value));
  }
  add("provenance", "{" + provenance + "}");
  out += "\"profile\": " + profile_to_json(m.profile);
  return out + "}\n";
}

ManifestHead manifest_head_from_json(std::string_view text, std::string_view where) {
  const json::Source source{where, "manifest"};
  const std::string_view profile_text = json::outline(text, kMaxManifestBytes, "profile", source);
  std::string rest(text);
  if (!profile_text.empty()) {
    rest.replace(static_cast<std::size_t>(profile_text.data() - text.data()), profile_text.size(),
                 "null");
  }
  const json::Json document = json::parse(rest, source);
  const json::Node root(document, source);
  ManifestHead head;
  head.profile_text = profile_text;
  Manifest& m = head.manifest;
  m.version = read_version(root, source);
  root.at("profile");
  m.run_id = read_run_id(root);
  m.started_at = read_time(root, "started_at");
  const json::Node mode = root.at("mode");
  const std::string mode_text = mode.text(16);
  if (mode_text != "full" && mode_text != "digest") mode.fail("\"full\" or \"digest\"");
  m.mode = mode_text == "full" ? DumpMode::full : DumpMode::digest;
  read_wishes(root, m);
  m.world_size = static_cast<std::uint32_t>(root.at("world_size").number(kMaxWorldSize));
  if (m.world_size == 0) root.at("world_size").fail("at least 1");
  m.rank = static_cast<std::uint32_t>(root.at("rank").number(m.world_size - 1));
  if (const auto provenance = root.find("provenance")) {
    for (const auto& item : provenance->object().items()) {
      if (item.key().size() > kMaxText) provenance->fail("keys of a sane length");
      m.provenance.emplace(item.key(), provenance->at(item.key()).text(kMaxText));
    }
  }
  return head;
}

Manifest manifest_from_json(std::string_view text, std::string_view where) {
  ManifestHead head = manifest_head_from_json(text, where);
  head.manifest.profile = profile_from_json(head.profile_text, where);
  return std::move(head.manifest);
}

std::string end_marker_to_json(const EndMarker& m) {
  return fmt::format(
      "{{\n\"version\": {},\n\"run_id\": \"{}\",\n\"state\": \"{}\",\n\"reason\": {},\n"
      "\"committed_steps\": {},\n\"records\": {},\n\"running_check\": \"{:016x}\",\n"
      "\"finished_at\": {}\n}}\n",
      m.version, m.run_id, m.state == EndState::complete ? "complete" : "cut",
      json::quoted(m.reason), m.committed_steps, m.records, m.running_check,
      json::quoted(m.finished_at));
}

EndMarker end_marker_from_json(std::string_view text, std::string_view where) {
  const json::Source source{where, "end marker"};
  json::outline(text, kMaxManifestBytes, "", source);
  const json::Json document = json::parse(text, source);
  const json::Node root(document, source);
  EndMarker m;
  m.version = read_version(root, source);
  m.run_id = read_run_id(root);
  const json::Node state = root.at("state");
  const std::string state_text = state.text(16);
  if (state_text != "complete" && state_text != "cut") state.fail("\"complete\" or \"cut\"");
  m.state = state_text == "complete" ? EndState::complete : EndState::cut;
  m.reason = optional_text(root, "reason");
  m.committed_steps = root.at("committed_steps").number(kNoLimit);
  m.records = root.at("records").number(kNoLimit);
  const json::Node check = root.at("running_check");
  const auto word = parse_hex64(check.text(32));
  if (!word) check.fail("16 lower-case hex digits");
  m.running_check = *word;
  m.finished_at = read_time(root, "finished_at");
  return m;
}

}  // namespace foxhunt
