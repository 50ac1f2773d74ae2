// SPDX-License-Identifier: MIT
// A set of steps as users write it: its normal form is the same set, and counts what it contains.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dump/format/error.h"
#include "dump/format/step_set.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace foxhunt;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const StepSet set = StepSet::parse(text);
    FOXHUNT_ASSERT(StepSet::parse(set.to_string()) == set);
    std::uint64_t inside = 0, starts = 0;
    for (std::uint64_t step = 0; step < 64; ++step) {
      inside += set.contains(step);
      starts += set.starts_window(step);
      FOXHUNT_ASSERT(!set.starts_window(step) || set.contains(step));
    }
    FOXHUNT_ASSERT(starts <= inside);
    if (const auto count = set.count()) FOXHUNT_ASSERT(*count >= inside);
  } catch (const Error& error) {
    FOXHUNT_ASSERT(error.code() == Errc::bad_argument);
  }
  return 0;
}
