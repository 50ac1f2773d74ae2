// SPDX-License-Identifier: MIT
#include "dump/capture/step_plan.h"

#include <limits>

#include "dump/capture/nearest_name.h"
#include "dump/capture/provenance.h"
#include "dump/format/error.h"
#include "dump/format/file_name.h"

namespace foxhunt {
namespace {

// "[B,64]", as people write shapes.
std::string declared_shape(const ProfileBuffer& buffer) {
  std::string text = "[";
  for (const Extent& extent : buffer.shape) {
    if (text.size() > 1) text += ',';
    text += extent.symbol.empty() ? fmt::format("{}", extent.size) : extent.symbol;
  }
  return text + "]";
}

std::optional<std::uint64_t> bytes_of(const Shape& shape, DType dtype) {
  const auto elements = element_count(shape);
  std::uint64_t bytes = 0;
  if (!elements || __builtin_mul_overflow(*elements, dtype_size(dtype), &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace

StepPlan::StepPlan(const Arming& arming, Profile profile)
    : steps_(arming.steps),
      filter_(arming.filter),
      not_excluded_("", {}, arming.exclude),
      form_(arming.mode == DumpMode::full ? Form::full : Form::digest),
      profile_(std::move(profile)) {}

bool StepPlan::begin(std::uint64_t number) {
  if (step_ && number <= *step_) {
    throw Error(Errc::bad_argument,
                "step {} begins after step {}: step numbers must grow, and a run holds each step "
                "once",
                number, *step_);
  }
  const bool was_wanted = wanted_;
  step_ = number;
  wanted_ = steps_.contains(number);
  starts_window_ = wanted_ && !was_wanted;
  occurrence_ = 0;
  noted_.clear();
  return wanted_;
}

void StepPlan::next_update() {
  if (occurrence_ == std::numeric_limits<std::uint32_t>::max()) {
    throw Error(Errc::limit, "step {} has more updates than a run can hold", *step_);
  }
  ++occurrence_;
}

Shape StepPlan::shape_of(const ProfileBuffer& buffer, std::uint64_t bytes) const {
  Shape shape;
  for (std::size_t axis = 0; axis < buffer.shape.size(); ++axis) {
    const Extent& extent = buffer.shape[axis];
    if (!extent.symbol.empty() && axis > 0) {
      throw Error(Errc::bad_argument,
                  "{} is declared as {}, but {} is bound to no number, and only the outermost "
                  "extent can be told from the {} bytes noted; bind it in the profile, or note the "
                  "buffer with its shape",
                  buffer.name, declared_shape(buffer), extent.symbol, bytes);
    }
    shape.push_back(extent.size);
  }
  if (!buffer.shape.empty() && !buffer.shape[0].symbol.empty()) {
    shape[0] = 1;
    const auto row = bytes_of(shape, buffer.dtype);
    shape[0] = row && *row > 0 ? bytes / *row : 0;
  }
  if (bytes_of(shape, buffer.dtype) != bytes) {
    throw Error(
        Errc::bad_argument,
        "{} is declared as {} {}, and the {} bytes noted at step {} do not have that shape; "
        "if it changes, note the buffer with its shape",
        buffer.name, dtype_name(buffer.dtype), declared_shape(buffer), bytes, *step_);
  }
  return shape;
}

std::optional<Capture> StepPlan::admit(std::string_view name, std::uint64_t bytes) {
  const int index = profile_.find(name);
  if (index < 0) {
    const std::string_view nearest = nearest_name(profile_, name);
    throw Error(Errc::bad_argument,
                "buffer \"{}\" is not declared in profile \"{}\"{}; declare it, or note it with a "
                "group, a dtype and a shape",
                escape_controls(name), profile_.name,
                nearest.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", nearest));
  }
  const ProfileBuffer& buffer = profile_.buffers[static_cast<std::size_t>(index)];
  return admit(buffer.name, buffer.group, buffer.dtype, shape_of(buffer, bytes), &buffer);
}

std::optional<Capture> StepPlan::admit(const BufferDesc& desc) {
  if (!is_buffer_name(desc.name) || !is_group(desc.group) || dtype_name(desc.dtype).empty() ||
      desc.shape.size() > kMaxRank || !bytes_of(desc.shape, desc.dtype)) {
    throw Error(Errc::bad_argument,
                "\"{}\" cannot be noted: a name is 1 to {} of [A-Za-z0-9_.-] and starts with "
                "neither . nor -, a group is a letter a to z, a shape has at most {} extents and "
                "its bytes fit 64 bits",
                escape_controls(desc.name), kMaxBufferName, kMaxRank);
  }
  const int index = profile_.find(desc.name);
  const ProfileBuffer* const declared =
      index < 0 ? nullptr : &profile_.buffers[static_cast<std::size_t>(index)];
  if (declared != nullptr && (declared->group != desc.group || declared->dtype != desc.dtype)) {
    throw Error(Errc::bad_argument,
                "{} is noted as {} in group {}, but the profile declares it as {} in group {}",
                desc.name, dtype_name(desc.dtype), desc.group, dtype_name(declared->dtype),
                declared->group);
  }
  return admit(desc.name, desc.group, desc.dtype, desc.shape, declared);
}

std::optional<Capture> StepPlan::admit(std::string_view name, char group, DType dtype,
                                       const Shape& shape, const ProfileBuffer* declared) {
  const bool carried_in = declared != nullptr && !declared->carries.empty();
  const bool once = declared != nullptr && (carried_in || declared->cadence == Cadence::step);
  if (carried_in ? !starts_window_ || !not_excluded_.accepts(group, name)
                 : !filter_.accepts(group, name)) {
    return std::nullopt;
  }
  Capture capture;
  capture.occurrence = once ? 0 : occurrence_;
  capture.group = group;
  capture.dtype = dtype;
  capture.form = carried_in && !filter_.names_group(group) ? Form::digest : form_;
  capture.name = name;
  capture.shape = format_shape(shape);
  capture.bytes = *bytes_of(shape, dtype);
  if (!noted_.insert(fmt::format("{} {}", capture.occurrence, name)).second) {
    throw Error(Errc::bad_argument, "{} is noted twice in step {}, occurrence {}: {}", name, *step_,
                capture.occurrence,
                once ? "it is declared as made once a step"
                     : "call next_update between the updates of one step, and give each buffer a "
                       "name of its own");
  }
  if (noted_.size() > kMaxRecordsPerStep) {
    throw Error(Errc::limit, "step {} has over {} notes; ask for fewer groups or names", *step_,
                kMaxRecordsPerStep);
  }
  return capture;
}

}  // namespace foxhunt
