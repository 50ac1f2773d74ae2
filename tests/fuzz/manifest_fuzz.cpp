// SPDX-License-Identifier: MIT
// The manifest: what is accepted has one normal form, and the head alone reads the same as the
// whole.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dump/format/error.h"
#include "dump/format/manifest.h"
#include "dump/format/profile_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace foxhunt;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string normal;
  try {
    normal = manifest_to_json(manifest_from_json(text, "fuzz"));
  } catch (const Error& error) {
    FOXHUNT_ASSERT(error.code() == Errc::format || error.code() == Errc::version);
    return 0;
  }
  FOXHUNT_ASSERT(manifest_to_json(manifest_from_json(normal, "again")) == normal);
  const ManifestHead head = manifest_head_from_json(normal, "head");
  Manifest joined = head.manifest;
  joined.profile = profile_from_json(head.profile_text, "head");
  FOXHUNT_ASSERT(manifest_to_json(joined) == normal);
  return 0;
}
