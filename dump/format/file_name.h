// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace foxhunt {

// Where one buffer's bytes stand in a run directory:
//
//     step_<N>_<g>_<name>.bin          occurrence 0
//     step_<N>_k<i>_<g>_<name>.bin     occurrence i >= 1
//
// N and i are decimal without leading zeros, g is one lower-case letter. On disk: the field's own
// names, never to change.
struct DumpName {
  std::uint64_t step = 0;
  std::uint32_t occurrence = 0;
  char group = 'a';
  std::string name;

  bool operator==(const DumpName&) const = default;
};

inline constexpr std::size_t kMaxBufferName = 180;  // so that the file's name stays below 255

// A buffer's name: 1 to 180 of [A-Za-z0-9_.-], not starting with '.' or '-'.
bool is_buffer_name(std::string_view name) noexcept;
// One of a to z.
bool is_group(char letter) noexcept;

std::string dump_file_name(const DumpName& name);
std::string dump_file_name(std::uint64_t step, std::uint32_t occurrence, char group,
                           std::string_view name);

// Whether a file of this name claims to be a dump: it starts with `step_`. Others are nobody's
// business.
bool claims_to_be_dump(std::string_view file_name) noexcept;

// Parses a name that claims_to_be_dump. Nothing if it is malformed; `why`, if given, then says what
// is wrong in a few words.
std::optional<DumpName> parse_dump_file_name(std::string_view file_name,
                                             std::string* why = nullptr);

}  // namespace foxhunt
