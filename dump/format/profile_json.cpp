// SPDX-License-Identifier: MIT
#include "dump/format/profile_json.h"

#include <unordered_map>

#include "dump/format/error.h"
#include "dump/format/json_reading.h"

namespace foxhunt {
namespace {

constexpr std::uint64_t kProfileVersion = 1;  // on disk

template <class Enum>
struct Spelling {
  Enum value;
  std::string_view name;
};
// On disk: never rename.
constexpr Spelling<MakerKind> kKinds[] = {{MakerKind::kernel, "kernel"},
                                          {MakerKind::copy, "copy"},
                                          {MakerKind::view, "view"},
                                          {MakerKind::host, "host"}};
constexpr Spelling<Determinism> kDeterminisms[] = {{Determinism::unknown, "unknown"},
                                                   {Determinism::not_guaranteed, "not_guaranteed"},
                                                   {Determinism::run_to_run, "run_to_run"},
                                                   {Determinism::gpu_to_gpu, "gpu_to_gpu"}};
constexpr Spelling<Meaning> kMeanings[] = {
    {Meaning::value, "value"}, {Meaning::partial, "partial"}, {Meaning::reduced, "reduced"}};
constexpr Spelling<Cadence> kCadences[] = {{Cadence::update, "update"}, {Cadence::step, "step"}};

template <class Enum, std::size_t n>
std::string_view spell(const Spelling<Enum> (&spellings)[n], Enum value) {
  for (const auto& spelling : spellings) {
    if (spelling.value == value) return spelling.name;
  }
  FOXHUNT_ASSERT(false);
}

template <class Enum, std::size_t n>
Enum read_spelled(const json::Node& node, const Spelling<Enum> (&spellings)[n]) {
  const std::string text = node.text(32);
  std::string expected;
  for (const auto& spelling : spellings) {
    if (spelling.name == text) return spelling.value;
    expected += fmt::format("{}\"{}\"", expected.empty() ? "" : ", ", spelling.name);
  }
  node.fail("one of " + expected);
}

std::string extents_text(const std::vector<Extent>& extents) {
  std::string text = "[";
  for (const Extent& extent : extents) {
    if (text.size() > 1) text += ", ";
    text += extent.symbol.empty() ? std::to_string(extent.size) : json::quoted(extent.symbol);
  }
  return text + "]";
}

std::vector<Extent> read_extents(const json::Node& node) {
  std::vector<Extent> extents(node.size());
  if (extents.size() > kMaxRank) node.fail(fmt::format("at most {} extents", kMaxRank));
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const json::Node item = node[i];
    if (item.is_text()) {
      extents[i].symbol = item.text(32);
      if (extents[i].symbol.empty()) item.fail("a number or a symbol");
    } else {
      extents[i].size = item.number(~std::uint64_t{0});
    }
  }
  return extents;
}

template <class Items, class Text>
std::string lines(std::string_view key, const Items& items, Text text) {
  std::string out = fmt::format(" {}: [", json::quoted(key));
  bool first = true;
  for (const auto& item : items) {
    out += first ? "\n  " : ",\n  ";
    out += text(item);
    first = false;
  }
  return out + "]";
}

template <class Items, class Text>
std::string list(const Items& items, Text text) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ", ";
    out += json::quoted(text(item));
  }
  return out + "]";
}

std::string group_line(const ProfileGroup& group) {
  return fmt::format(R"({{"letter": "{}", "title": {}}})", group.letter, json::quoted(group.title));
}

std::string buffer_line(const ProfileBuffer& buffer) {
  std::string out = fmt::format(R"({{"name": {}, "group": "{}", "dtype": "{}", "shape": {})",
                                json::quoted(buffer.name), buffer.group, dtype_name(buffer.dtype),
                                extents_text(buffer.shape));
  if (!buffer.valid_extent.empty()) {
    out += fmt::format(R"(, "valid_extent": {})", extents_text(buffer.valid_extent));
  }
  if (buffer.order_free) out += R"(, "order_free": true)";
  if (buffer.meaning != Meaning::value) {
    out += fmt::format(R"(, "meaning": "{}")", spell(kMeanings, buffer.meaning));
  }
  if (buffer.cadence != Cadence::update) {
    out += fmt::format(R"(, "cadence": "{}")", spell(kCadences, buffer.cadence));
  }
  if (!buffer.carries.empty()) {
    out += fmt::format(R"(, "carries": {})", json::quoted(buffer.carries));
  }
  return out + "}";
}

std::string maker_line(const Maker& maker) {
  return fmt::format(R"({{"name": {}, "kind": "{}", "determinism": "{}", "advice": {}}})",
                     json::quoted(maker.name), spell(kKinds, maker.kind),
                     spell(kDeterminisms, maker.determinism), json::quoted(maker.advice));
}

std::string launch_line(const Profile& profile, const Launch& launch) {
  const auto name = [&profile](int buffer) {
    return profile.buffers[static_cast<std::size_t>(buffer)].name;
  };
  std::string out =
      fmt::format(R"({{"kernel": {})",
                  json::quoted(profile.makers[static_cast<std::size_t>(launch.maker)].name));
  if (!launch.site.empty()) out += fmt::format(R"(, "site": {})", json::quoted(launch.site));
  out += R"(, "reads": )" + list(launch.inputs, [&](const Input& input) {
           return name(input.buffer) + (input.lag == 0 ? "" : "[-1]");
         });
  return out + R"(, "makes": )" + list(launch.outputs, name) + "}";
}

std::string pattern_line(const Pattern& pattern) {
  const auto itself = [](const std::string& name) -> const std::string& { return name; };
  std::string out = "{";
  const auto add = [&out](std::string_view key, const std::string& value) {
    out += fmt::format(R"("{}": {}, )", key, value);
  };
  if (!pattern.diverged.empty()) add("diverged", json::quoted(pattern.diverged));
  if (!pattern.not_diverged.empty()) add("not_diverged", json::quoted(pattern.not_diverged));
  if (!pattern.equal.empty()) add("equal", json::quoted(pattern.equal));
  if (pattern.only) add("only", "true");
  if (!pattern.any_of.empty()) add("any_of", list(pattern.any_of, itself));
  if (!pattern.none_of.empty()) add("none_of", list(pattern.none_of, itself));
  return out + fmt::format(R"("advice": {}}})", json::quoted(pattern.advice));
}

char read_group(const json::Node& node) {
  const std::string text = node.text(8);
  if (text.size() != 1) node.fail("one letter from a to z");
  return text[0];
}

ProfileBuffer read_buffer(const json::Node& node) {
  ProfileBuffer buffer;
  buffer.name = node.at("name").text(kMaxProfileName);
  buffer.group = read_group(node.at("group"));
  const json::Node dtype = node.at("dtype");
  const auto type = parse_dtype(dtype.text(16));
  if (!type) dtype.fail("an element type such as \"f32\"");
  buffer.dtype = *type;
  buffer.shape = read_extents(node.at("shape"));
  if (const auto it = node.find("valid_extent")) buffer.valid_extent = read_extents(*it);
  if (const auto it = node.find("order_free")) buffer.order_free = it->flag();
  if (const auto it = node.find("meaning")) buffer.meaning = read_spelled(*it, kMeanings);
  if (const auto it = node.find("cadence")) buffer.cadence = read_spelled(*it, kCadences);
  if (const auto it = node.find("carries")) buffer.carries = it->text(kMaxProfileName);
  return buffer;
}

Maker read_maker(const json::Node& node) {
  Maker maker;
  maker.name = node.at("name").text(kMaxProfileName);
  if (const auto it = node.find("kind")) maker.kind = read_spelled(*it, kKinds);
  if (const auto it = node.find("determinism")) {
    maker.determinism = read_spelled(*it, kDeterminisms);
  }
  if (const auto it = node.find("advice")) maker.advice = it->text(kMaxProfileText);
  return maker;
}

std::vector<std::string> read_names(const json::Node& node) {
  std::vector<std::string> names(node.size());
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = node[i].text(kMaxProfileName + 8);
  return names;
}

Pattern read_pattern(const json::Node& node) {
  Pattern pattern;
  if (const auto it = node.find("diverged")) pattern.diverged = it->text(26);
  if (const auto it = node.find("not_diverged")) pattern.not_diverged = it->text(26);
  if (const auto it = node.find("equal")) pattern.equal = it->text(26);
  if (const auto it = node.find("only")) pattern.only = it->flag();
  if (const auto it = node.find("any_of")) pattern.any_of = read_names(*it);
  if (const auto it = node.find("none_of")) pattern.none_of = read_names(*it);
  pattern.advice = node.at("advice").text(kMaxProfileText);
  return pattern;
}

using Index = std::unordered_map<std::string_view, int>;

Launch read_launch(const json::Node& node, const Index& makers, const Index& buffers) {
  const auto resolve = [](const json::Node& at, std::string_view name, const Index& index,
                          std::string_view what) {
    const auto found = index.find(name);
    if (found == index.end()) at.fail(fmt::format("the name of a declared {}", what));
    return found->second;
  };
  Launch launch;
  const json::Node maker = node.at("kernel");
  launch.maker = resolve(maker, maker.text(kMaxProfileName), makers, "maker");
  if (const auto it = node.find("site")) launch.site = it->text(kMaxProfileName);
  const json::Node reads = node.at("reads"), makes = node.at("makes");
  for (std::size_t i = 0; i < reads.size(); ++i) {
    constexpr std::string_view kLagged = "[-1]";
    const std::string text = reads[i].text(kMaxProfileName + kLagged.size());
    std::string_view name = text;
    const bool lagged = name.ends_with(kLagged);
    if (lagged) name.remove_suffix(kLagged.size());
    launch.inputs.push_back({resolve(reads[i], name, buffers, "buffer"), lagged ? 1 : 0});
  }
  for (std::size_t i = 0; i < makes.size(); ++i) {
    launch.outputs.push_back(resolve(makes[i], makes[i].text(kMaxProfileName), buffers, "buffer"));
  }
  return launch;
}

template <class Items>
Index index_by_name(const Items& items) {
  Index index;
  for (std::size_t i = 0; i < items.size(); ++i) {
    index.emplace(items[i].name, static_cast<int>(i));
  }
  return index;
}

}  // namespace

std::string profile_to_json(const Profile& profile) {
  std::string out = fmt::format("{{\n \"version\": {},\n \"name\": {},\n", kProfileVersion,
                                json::quoted(profile.name));
  out += lines("groups", profile.groups, group_line) + ",\n";
  out += lines("buffers", profile.buffers, buffer_line) + ",\n";
  out += lines("makers", profile.makers, maker_line) + ",\n";
  out += lines("launches", profile.launches,
               [&](const Launch& launch) { return launch_line(profile, launch); }) +
         ",\n";
  out += lines("patterns", profile.patterns, pattern_line);
  return out + "\n}\n";
}

Profile profile_from_json(std::string_view text, std::string_view where) {
  const json::Source source{where, "profile"};
  json::outline(text, kMaxProfileBytes, "", source);
  const json::Json document = json::parse(text, source);
  const json::Node root(document, source);
  if (const auto version = root.at("version").number(~std::uint64_t{0});
      version != kProfileVersion) {
    throw Error(Errc::version,
                "{}: profile version {}, but this foxhunt reads {}; compare with the foxhunt that "
                "wrote it",
                where, version, kProfileVersion);
  }
  Profile profile;
  profile.name = root.at("name").text(kMaxProfileName);
  const json::Node buffers = root.at("buffers"), makers = root.at("makers"),
                   launches = root.at("launches");
  if (const auto groups = root.find("groups")) {
    for (std::size_t i = 0; i < groups->size(); ++i) {
      const json::Node group = (*groups)[i];
      profile.groups.push_back(
          {read_group(group.at("letter")), group.at("title").text(kMaxProfileText)});
    }
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    profile.buffers.push_back(read_buffer(buffers[i]));
  }
  for (std::size_t i = 0; i < makers.size(); ++i) profile.makers.push_back(read_maker(makers[i]));
  const Index buffer_index = index_by_name(profile.buffers);
  const Index maker_index = index_by_name(profile.makers);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    profile.launches.push_back(read_launch(launches[i], maker_index, buffer_index));
  }
  if (const auto patterns = root.find("patterns")) {
    for (std::size_t i = 0; i < patterns->size(); ++i) {
      profile.patterns.push_back(read_pattern((*patterns)[i]));
    }
  }
  try {
    profile.validate();
  } catch (const Error& e) {
    throw Error(Errc::format, "{}: {}", where, e.what());
  }
  return profile;
}

}  // namespace foxhunt
