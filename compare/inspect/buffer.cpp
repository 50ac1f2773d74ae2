// SPDX-License-Identifier: MIT
#include "compare/inspect/buffer.h"

#include <fmt/format.h>

#include <algorithm>

#include "dump/format/error.h"
#include "dump/format/profile_json.h"

namespace foxhunt {
namespace {

// What the profile says of a bare run's buffer, where it fits the file.
std::optional<Shape> profile_shape(const Profile& profile, const Entry& entry,
                                   std::uint64_t elements) {
  const ProfileBuffer* const known = profile.find(entry.name, entry.group);
  const auto shape = known != nullptr ? known->bound_shape() : std::nullopt;
  return shape && element_count(*shape) == elements ? shape : std::nullopt;
}

// Says what there is instead of what was asked for.
class Alternatives {
 public:
  void see(const Entry& entry, const BufferAddress& wanted) {
    if (entry.step == wanted.step) {
      if (entry.name == wanted.name) {
        add(occurrences_, fmt::format("{}", entry.occurrence));
      } else {
        add(names_, std::string(entry.name));
      }
    } else if (entry.name == wanted.name) {
      add(steps_, fmt::format("{}", entry.step));
    }
  }

  std::string text(const BufferAddress& wanted) const {
    if (!occurrences_.empty()) return "that step has its " + list("occurrence", occurrences_);
    if (!steps_.empty()) return fmt::format("{} is in {}", wanted.name, list("step", steps_));
    if (!names_.empty()) return "that step has " + list("", names_);
    return "the run does not hold that step; see `list`";
  }

 private:
  static constexpr std::size_t kMax = 12;

  static void add(std::vector<std::string>& to, std::string what) {
    if (to.size() <= kMax && (to.empty() || to.back() != what)) to.push_back(std::move(what));
  }
  static std::string list(std::string_view noun, const std::vector<std::string>& what) {
    const auto shown = what.begin() + static_cast<std::ptrdiff_t>(std::min(kMax, what.size()));
    return fmt::format("{}{}{}{}", noun,
                       noun.empty()       ? ""
                       : what.size() == 1 ? " "
                                          : "s ",
                       fmt::join(what.begin(), shown, ", "), what.size() > kMax ? ", ..." : "");
  }

  std::vector<std::string> names_, steps_, occurrences_;
};

void settle_type(FoundBuffer& found, const Entry& entry, const Selection& selection,
                 const BufferAddress& address) {
  if (entry.logged) {
    found.dtype = *entry.dtype;
    found.shape = *parse_shape(entry.shape);
    found.payload = entry.payload;
    if (found.file.size() != entry.bytes) {
      throw Error(Errc::format,
                  "{}: is {} bytes long, but its record says {}; the file was changed", found.path,
                  found.file.size(), entry.bytes);
    }
    found.elements = *element_count(found.shape);
    return;
  }
  if (address.dtype) {
    found.dtype = *address.dtype;
  } else if (entry.dtype) {
    found.dtype = *entry.dtype;
  } else {
    found.note = "No profile knows this buffer: its bytes are shown as u8; --dtype says otherwise.";
  }
  const std::uint32_t size = dtype_size(found.dtype);
  if (found.file.size() % size != 0) {
    throw Error(Errc::format, "{}: is {} bytes long, which is no whole number of {} elements",
                found.path, found.file.size(), dtype_name(found.dtype));
  }
  found.elements = found.file.size() / size;
  const Profile& profile = selection.profile != nullptr ? *selection.profile : builtin_profile();
  found.shape = profile_shape(profile, entry, found.elements).value_or(Shape{found.elements});
}

}  // namespace

FoundBuffer find_buffer(const std::filesystem::path& path, const Selection& selection,
                        const BufferAddress& address) {
  OpenedRuns opened = open_runs(path, selection);
  if (opened.ranks.size() != 1) {
    throw Error(Errc::bad_argument, "{}: holds {} ranks; choose one with --rank", path.string(),
                opened.ranks.size());
  }
  FoundBuffer found;
  found.run = std::move(opened.ranks.front().run);
  Alternatives alternatives;
  while (const auto step = found.run->next_step()) {
    for (const Entry& entry : step->entries) {
      alternatives.see(entry, address);
      if (entry.step != address.step || entry.name != address.name ||
          entry.occurrence != address.occurrence) {
        continue;
      }
      found.path = (found.run->directory().path() / entry.payload_name()).string();
      if (entry.form == Form::digest) {
        throw Error(Errc::bad_argument,
                    "{}: only digests were recorded, no values; dump that step again with "
                    "FOXHUNT_DETERMINISM_MODE=full",
                    found.path);
      }
      found.step = entry.step;
      found.occurrence = entry.occurrence;
      found.group = entry.group;
      found.name = entry.name;
      found.file = RunFile(found.run->directory(), entry.payload_name());
      settle_type(found, entry, selection, address);
      return found;
    }
  }
  throw Error(Errc::missing, "{}: has no {} at step {}, occurrence {}; {}", path.string(),
              address.name, address.step, address.occurrence, alternatives.text(address));
}

}  // namespace foxhunt
