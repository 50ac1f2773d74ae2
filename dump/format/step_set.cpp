// SPDX-License-Identifier: MIT
#include "dump/format/step_set.h"

#include <algorithm>
#include <limits>

#include "dump/format/error.h"
#include "dump/format/numbers.h"

namespace foxhunt {
namespace {
constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();
}

StepSet StepSet::all() {
  StepSet set;
  set.ranges_.push_back({0, kNoEnd});
  return set;
}

StepSet StepSet::parse(std::string_view text) {
  if (text == "all") return all();
  const auto refuse = [text](std::string_view item) {
    return Error(Errc::bad_argument,
                 "steps \"{}\": \"{}\" is not a step, a range N-M or N-, or \"all\"; write for "
                 "example 0-3,100,200-",
                 text, item);
  };
  StepSet set;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const std::size_t dash = item.find('-');
    const auto first = parse_decimal(item.substr(0, dash));
    if (!first) throw refuse(item);
    std::uint64_t last = *first;
    if (dash != std::string_view::npos) {
      const std::string_view end = item.substr(dash + 1);
      const auto parsed = parse_decimal(end);
      if (!end.empty() && (!parsed || *parsed < *first)) throw refuse(item);
      last = end.empty() ? kNoEnd : *parsed;
    }
    set.ranges_.push_back({*first, last});
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  std::sort(set.ranges_.begin(), set.ranges_.end(),
            [](const Range& a, const Range& b) { return a.first < b.first; });
  std::vector<Range> merged;
  for (const Range& range : set.ranges_) {
    if (!merged.empty() &&
        (merged.back().last == kNoEnd || range.first <= merged.back().last + 1)) {
      merged.back().last = std::max(merged.back().last, range.last);
    } else {
      merged.push_back(range);
    }
  }
  set.ranges_ = std::move(merged);
  return set;
}

bool StepSet::contains(std::uint64_t step) const noexcept {
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [step](const Range& r) { return r.first <= step && step <= r.last; });
}

bool StepSet::starts_window(std::uint64_t step) const noexcept {
  return contains(step) && (step == 0 || !contains(step - 1));
}

std::optional<std::uint64_t> StepSet::count() const noexcept {
  std::uint64_t total = 0;
  for (const Range& range : ranges_) {
    if (range.last == kNoEnd) return std::nullopt;
    total += range.last - range.first + 1;
  }
  return total;
}

std::optional<std::uint64_t> StepSet::count_after(std::uint64_t step) const noexcept {
  std::uint64_t total = 0;
  for (const Range& range : ranges_) {
    if (range.last == kNoEnd) return std::nullopt;
    if (range.last > step) total += range.last - std::max(range.first, step + 1) + 1;
  }
  return total;
}

std::string StepSet::to_string() const {
  std::string text;
  for (const Range& range : ranges_) {
    if (!text.empty()) text += ',';
    if (range.first == 0 && range.last == kNoEnd) return "all";
    text += fmt::format("{}", range.first);
    if (range.last == kNoEnd) {
      text += '-';
    } else if (range.last != range.first) {
      text += fmt::format("-{}", range.last);
    }
  }
  return text;
}

}  // namespace foxhunt
