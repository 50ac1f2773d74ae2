// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "dump/capture/arming.h"
#include "dump/capture/dumper.h"
#include "dump/capture/run_writer.h"
#include "dump/format/profile.h"

namespace foxhunt {

// Decides what becomes of each note: which buffer it speaks of, whether it is kept, and as what.
// Knows no file. One thread at a time.
class StepPlan {
 public:
  StepPlan(const Arming& arming, Profile profile);

  // A step begins. Throws Error bad_argument unless `number` is larger than any before. Whether the
  // step is wanted.
  bool begin(std::uint64_t number);
  // Of the step that began last: the step called before it, if any, was not wanted.
  bool starts_window() const noexcept { return starts_window_; }
  void next_update();

  // What to capture for a note; nothing when it is not asked for. Throws Error bad_argument saying
  // what is wrong with the note: an undeclared name, a size that the shape does not have, a name
  // noted twice in one occurrence, ….
  std::optional<Capture> admit(std::string_view name, std::uint64_t bytes);
  std::optional<Capture> admit(const BufferDesc& desc);

 private:
  Shape shape_of(const ProfileBuffer& buffer, std::uint64_t bytes) const;
  std::optional<Capture> admit(std::string_view name, char group, DType dtype, const Shape& shape,
                               const ProfileBuffer* declared);

  StepSet steps_;
  NameFilter filter_;
  NameFilter not_excluded_;  // for carried-in captures, which the rest of the filter lets through
  Form form_;
  Profile profile_;

  std::optional<std::uint64_t> step_;
  std::uint32_t occurrence_ = 0;
  bool wanted_ = false, starts_window_ = false;
  std::unordered_set<std::string> noted_;  // "<occurrence> <name>" of this step
};

}  // namespace foxhunt
