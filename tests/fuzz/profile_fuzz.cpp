// SPDX-License-Identifier: MIT
// A profile, as `--profile FILE` or a manifest brings it: what is accepted is consistent, and has
// one normal form.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dump/format/error.h"
#include "dump/format/profile_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace foxhunt;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Profile profile;
  try {
    profile = profile_from_json(text, "fuzz");
  } catch (const Error& error) {
    FOXHUNT_ASSERT(error.code() == Errc::format || error.code() == Errc::version);
    return 0;
  }
  const int buffers = static_cast<int>(profile.buffers.size());
  for (int i = 0; i < buffers; ++i) {
    const ProfileBuffer& buffer = profile.buffers[static_cast<std::size_t>(i)];
    FOXHUNT_ASSERT(profile.find(buffer.name) == i);
    FOXHUNT_ASSERT(buffer.launch < static_cast<int>(profile.launches.size()));
    FOXHUNT_ASSERT(profile.carried_in(i) < buffers);
  }
  for (const Launch& launch : profile.launches) {
    FOXHUNT_ASSERT(launch.maker < static_cast<int>(profile.makers.size()));
    for (const Input& input : launch.inputs)
      FOXHUNT_ASSERT(input.buffer >= 0 && input.buffer < buffers);
    for (const int output : launch.outputs) FOXHUNT_ASSERT(output >= 0 && output < buffers);
  }
  const std::string normal = profile_to_json(profile);
  FOXHUNT_ASSERT(profile_to_json(profile_from_json(normal, "again")) == normal);
  return 0;
}
