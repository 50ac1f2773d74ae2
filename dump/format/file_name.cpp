// SPDX-License-Identifier: MIT
#include "dump/format/file_name.h"

#include <algorithm>
#include <array>
#include <limits>

#include "dump/format/error.h"
#include "dump/format/numbers.h"

namespace foxhunt {
namespace {

constexpr std::string_view kPrefix = "step_";
constexpr std::string_view kSuffix = ".bin";

constexpr std::array<bool, 256> make_name_characters() {
  std::array<bool, 256> allowed{};
  for (int c = 'a'; c <= 'z'; ++c) allowed[static_cast<std::size_t>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c) allowed[static_cast<std::size_t>(c)] = true;
  for (int c = '0'; c <= '9'; ++c) allowed[static_cast<std::size_t>(c)] = true;
  for (const char c : {'_', '.', '-'}) allowed[static_cast<unsigned char>(c)] = true;
  return allowed;
}
constexpr auto kNameCharacters = make_name_characters();

bool is_name_character(char c) noexcept { return kNameCharacters[static_cast<unsigned char>(c)]; }

// Takes the text before the next '_' off the front of `rest`.
std::optional<std::string_view> take_field(std::string_view& rest) {
  const std::size_t cut = rest.find('_');
  if (cut == std::string_view::npos) return std::nullopt;
  const std::string_view field = rest.substr(0, cut);
  rest.remove_prefix(cut + 1);
  return field;
}

}  // namespace

bool is_buffer_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= kMaxBufferName && name[0] != '.' && name[0] != '-' &&
         std::all_of(name.begin(), name.end(), is_name_character);
}

bool is_group(char letter) noexcept { return letter >= 'a' && letter <= 'z'; }

std::string dump_file_name(std::uint64_t step, std::uint32_t occurrence, char group,
                           std::string_view name) {
  if (occurrence == 0) return fmt::format("step_{}_{}_{}.bin", step, group, name);
  return fmt::format("step_{}_k{}_{}_{}.bin", step, occurrence, group, name);
}

std::string dump_file_name(const DumpName& name) {
  return dump_file_name(name.step, name.occurrence, name.group, name.name);
}

bool claims_to_be_dump(std::string_view file_name) noexcept {
  return file_name.starts_with(kPrefix);
}

std::optional<DumpName> parse_dump_file_name(std::string_view file_name, std::string* why) {
  const auto malformed = [why](const char* text) {
    if (why != nullptr) *why = text;
    return std::nullopt;
  };
  if (!claims_to_be_dump(file_name)) return malformed("does not start with step_");
  if (!file_name.ends_with(kSuffix)) return malformed("does not end in .bin");
  std::string_view rest = file_name.substr(kPrefix.size());
  if (rest.size() < kSuffix.size()) return malformed("has no step number");
  rest.remove_suffix(kSuffix.size());

  DumpName result;
  auto field = take_field(rest);
  const auto step = field ? parse_decimal(*field) : std::nullopt;
  if (!step) return malformed("has no step number (decimal, no leading zeros)");
  result.step = *step;

  field = take_field(rest);
  if (field && field->size() > 1 && (*field)[0] == 'k') {
    const auto occurrence = parse_decimal(field->substr(1));
    if (!occurrence || *occurrence == 0 ||
        *occurrence > std::numeric_limits<std::uint32_t>::max()) {
      return malformed("has an occurrence that is not k1, k2, …");
    }
    result.occurrence = static_cast<std::uint32_t>(*occurrence);
    field = take_field(rest);
  }
  if (!field || field->size() != 1 || !is_group((*field)[0])) {
    return malformed("has no group (one lower-case letter)");
  }
  result.group = (*field)[0];
  if (!is_buffer_name(rest)) {
    return malformed("has a buffer name that is empty, too long, or not of [A-Za-z0-9_.-]");
  }
  result.name = rest;
  return result;
}

}  // namespace foxhunt
