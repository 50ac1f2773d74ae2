// SPDX-License-Identifier: MIT
#include "dump/capture/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace foxhunt {
namespace {

// Insertions, deletions and replacements that turn one text into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest_name(const Profile& profile, std::string_view name) {
  std::string_view nearest;
  std::size_t least = name.size() / 3 + 2;  // from here on it is another word
  for (const ProfileBuffer& buffer : profile.buffers) {
    const std::size_t distance = edit_distance(name.substr(0, 200), buffer.name);
    if (distance < least) {
      least = distance;
      nearest = buffer.name;
    }
  }
  return nearest;
}

}  // namespace foxhunt
