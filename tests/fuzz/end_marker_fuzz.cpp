// SPDX-License-Identifier: MIT
// The end marker: what is accepted has one normal form.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dump/format/error.h"
#include "dump/format/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace foxhunt;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string normal;
  try {
    normal = end_marker_to_json(end_marker_from_json(text, "fuzz"));
  } catch (const Error& error) {
    FOXHUNT_ASSERT(error.code() == Errc::format || error.code() == Errc::version);
    return 0;
  }
  FOXHUNT_ASSERT(end_marker_to_json(end_marker_from_json(normal, "again")) == normal);
  return 0;
}
