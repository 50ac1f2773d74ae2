// SPDX-License-Identifier: MIT
#include "dump/format/profile.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "dump/format/error.h"
#include "dump/format/file_name.h"

namespace foxhunt {
namespace {

constexpr std::size_t kMaxMistakes = 20;

bool is_symbol(std::string_view text) noexcept {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return text.size() <= 32 && letter(text[0]) &&
         std::all_of(text.begin(), text.end(),
                     [letter](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// Of a maker, a site or a profile: kernels have names like `softmax<float, 4>`.
bool is_printable_name(std::string_view text) noexcept {
  return text.size() <= kMaxProfileName &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

class Checker {
 public:
  explicit Checker(const Profile& profile) : p_(profile) {}

  std::vector<std::string> run() {
    if (!is_printable_name(p_.name)) add("the profile's name is no printable text");
    check_sizes();
    if (!mistakes_.empty()) return std::move(mistakes_);
    for (const ProfileGroup& group : p_.groups) check_group(group);
    for (const ProfileBuffer& buffer : p_.buffers) check_buffer(buffer);
    check_carriers();
    for (const Maker& maker : p_.makers) check_maker(maker);
    find_makers();
    for (std::size_t i = 0; i < p_.launches.size(); ++i) check_launch(static_cast<int>(i));
    for (const Pattern& pattern : p_.patterns) check_pattern(pattern);
    return std::move(mistakes_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> text, Args&&... args) {
    if (mistakes_.size() < kMaxMistakes) {
      mistakes_.push_back(fmt::format(text, std::forward<Args>(args)...));
    }
  }

  bool is_buffer(int index) const {
    return index >= 0 && static_cast<std::size_t>(index) < p_.buffers.size();
  }
  const std::string& name(int buffer) const {
    return p_.buffers[static_cast<std::size_t>(buffer)].name;
  }

  void check_sizes() {
    std::size_t inputs = 0;
    for (const Launch& launch : p_.launches) inputs += launch.inputs.size();
    const auto bound = [this](const char* what, std::size_t count, std::size_t limit) {
      if (count > limit) add("{} {}; a profile holds at most {}", count, what, limit);
    };
    bound("buffers", p_.buffers.size(), kMaxProfileBuffers);
    bound("makers", p_.makers.size(), kMaxProfileBuffers);
    bound("launches", p_.launches.size(), kMaxProfileBuffers);
    bound("inputs", inputs, kMaxProfileInputs);
    bound("patterns", p_.patterns.size(), kMaxProfilePatterns);
  }

  void check_text(std::string_view what, std::string_view of, const std::string& text) {
    if (text.size() > kMaxProfileText) {
      add("the {} of {} is {} bytes long; at most {} are kept", what, of, text.size(),
          kMaxProfileText);
    }
  }

  void check_group(const ProfileGroup& group) {
    if (!is_group(group.letter)) {
      add("group '{}' is not one of a to z", group.letter);
    } else if (!groups_.insert(group.letter).second) {
      add("group {} is declared twice", group.letter);
    }
    check_text("title", "a group", group.title);
  }

  bool check_extents(const ProfileBuffer& buffer, const std::vector<Extent>& extents) {
    if (extents.size() > kMaxRank) {
      add("buffer {} has {} extents; at most {} are read", buffer.name, extents.size(), kMaxRank);
      return false;
    }
    std::uint64_t bytes = dtype_size(buffer.dtype);
    for (const Extent& extent : extents) {
      if (!extent.symbol.empty()) {
        if (!is_symbol(extent.symbol)) {
          add("an extent of buffer {} is neither a number nor a symbol such as \"B\"", buffer.name);
          return false;
        }
      } else if (extent.size != 0 && __builtin_mul_overflow(bytes, extent.size, &bytes)) {
        add("the shape of buffer {} holds more than 2^64 bytes", buffer.name);
        return false;
      }
    }
    return true;
  }

  void check_buffer(const ProfileBuffer& buffer) {
    if (!is_buffer_name(buffer.name)) {
      add("\"{}\" is no buffer name; it takes 1 to {} of A-Z a-z 0-9 _ . - and starts with neither "
          ". nor -",
          is_printable_name(buffer.name) ? buffer.name : "(unprintable)", kMaxBufferName);
      return;
    }
    if (!by_name_.emplace(buffer.name, &buffer).second)
      add("buffer {} is declared twice", buffer.name);
    if (!is_group(buffer.group)) add("the group of buffer {} is not one of a to z", buffer.name);
    if (!check_extents(buffer, buffer.shape)) return;
    if (buffer.valid_extent.empty()) return;
    if (buffer.valid_extent.size() != buffer.shape.size()) {
      add("buffer {} has {} extents but {} valid ones", buffer.name, buffer.shape.size(),
          buffer.valid_extent.size());
      return;
    }
    if (!check_extents(buffer, buffer.valid_extent)) return;
    for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
      const Extent &whole = buffer.shape[i], &valid = buffer.valid_extent[i];
      if (whole.symbol.empty() && valid.symbol.empty() && valid.size > whole.size) {
        add("a valid extent of buffer {} is larger than its extent", buffer.name);
      }
    }
  }

  void check_carriers() {
    std::unordered_set<std::string_view> carried;
    for (const ProfileBuffer& buffer : p_.buffers) {
      if (buffer.carries.empty()) continue;
      const auto target = by_name_.find(buffer.carries);
      if (target == by_name_.end()) {
        add("buffer {} carries a buffer that is not declared", buffer.name);
      } else if (!target->second->carries.empty()) {
        add("buffer {} carries {}, which is itself a carried-in capture", buffer.name,
            buffer.carries);
      } else if (!carried.insert(target->first).second) {
        add("buffer {} is carried by two captures", buffer.carries);
      }
    }
  }

  void check_maker(const Maker& maker) {
    if (maker.name.empty() || !is_printable_name(maker.name)) {
      add("a maker's name is empty, unprintable or over {} bytes", kMaxProfileName);
    } else if (!makers_.insert(maker.name).second) {
      add("maker {} is declared twice", maker.name);
    }
    check_text("advice", maker.name, maker.advice);
  }

  void find_makers() {
    made_by_.assign(p_.buffers.size(), -1);
    for (std::size_t i = 0; i < p_.launches.size(); ++i) {
      for (const int output : p_.launches[i].outputs) {
        if (!is_buffer(output)) continue;  // check_launch says so
        int& maker = made_by_[static_cast<std::size_t>(output)];
        if (maker >= 0) add("buffer {} is made twice; declare a buffer each time", name(output));
        maker = static_cast<int>(i);
      }
    }
  }

  void check_launch(int index) {
    const Launch& launch = p_.launches[static_cast<std::size_t>(index)];
    if (launch.maker < 0 || static_cast<std::size_t>(launch.maker) >= p_.makers.size()) {
      add("launch {} has no maker", index);
      return;
    }
    const std::string& maker = p_.makers[static_cast<std::size_t>(launch.maker)].name;
    if (!is_printable_name(launch.site)) add("a site of {} is no printable text", maker);
    if (launch.outputs.empty()) add("a launch of {} makes nothing", maker);
    for (const int output : launch.outputs) check_output(maker, launch, output);
    for (const Input& input : launch.inputs) check_input(maker, index, input);
  }

  void check_output(const std::string& maker, const Launch& launch, int output) {
    if (!is_buffer(output) || !is_buffer(launch.outputs[0])) {
      add("a launch of {} makes a buffer that is not declared", maker);
      return;
    }
    const ProfileBuffer& buffer = p_.buffers[static_cast<std::size_t>(output)];
    if (!buffer.carries.empty()) {
      add("{} makes {}, but a carried-in capture has no maker", maker, buffer.name);
    }
    const ProfileBuffer& first = p_.buffers[static_cast<std::size_t>(launch.outputs[0])];
    if (buffer.cadence != first.cadence) {
      add("{} makes {} and {} at one time, but only one of them once per step", maker, first.name,
          buffer.name);
    }
  }

  void check_input(const std::string& maker, int launch, const Input& input) {
    if (!is_buffer(input.buffer)) {
      add("a launch of {} reads a buffer that is not declared", maker);
      return;
    }
    const std::string& read = name(input.buffer);
    if (input.lag != 0 && input.lag != 1) {
      add("{} reads {} with lag {}; a lag is 0 or 1", maker, read, input.lag);
    }
    if (!p_.buffers[static_cast<std::size_t>(input.buffer)].carries.empty()) {
      add("{} reads the carried-in capture {}; read what it carries, with lag 1", maker, read);
    }
    if (input.lag == 0 && made_by_[static_cast<std::size_t>(input.buffer)] >= launch) {
      add("{} reads {} before it is made; put the launches in execution order, or read {}[-1]",
          maker, read, read);
    }
  }

  void check_pattern(const Pattern& pattern) {
    for (const std::string* groups : {&pattern.diverged, &pattern.not_diverged, &pattern.equal}) {
      if (!std::all_of(groups->begin(), groups->end(), is_group)) {
        add("a pattern names a group that is not one of a to z");
      }
    }
    for (const auto* buffers : {&pattern.any_of, &pattern.none_of}) {
      for (const std::string& buffer : *buffers) {
        if (!by_name_.contains(buffer)) add("a pattern names a buffer that is not declared");
      }
    }
    if (pattern.diverged.empty() && pattern.any_of.empty()) {
      add("a pattern says neither which group nor which buffer diverged");
    }
    check_text("advice", "a pattern", pattern.advice);
  }

  const Profile& p_;
  std::vector<std::string> mistakes_;
  std::set<char> groups_;
  std::unordered_map<std::string_view, const ProfileBuffer*> by_name_;
  std::unordered_set<std::string_view> makers_;
  std::vector<int> made_by_;
};

}  // namespace

void Profile::bind(std::string_view symbol, std::uint64_t size) {
  for (ProfileBuffer& buffer : buffers) {
    for (std::vector<Extent>* extents : {&buffer.shape, &buffer.valid_extent}) {
      for (Extent& extent : *extents) {
        if (!symbol.empty() && extent.symbol == symbol) extent = {"", size};
      }
    }
  }
}

std::optional<Shape> ProfileBuffer::bound_shape() const {
  Shape bound;
  for (const Extent& extent : shape) {
    if (!extent.symbol.empty()) return std::nullopt;
    bound.push_back(extent.size);
  }
  return bound;
}

int Profile::find(std::string_view buffer_name) const {
  const auto found = by_name_.find(buffer_name);
  return found == by_name_.end() ? -1 : found->second;
}

const ProfileBuffer* Profile::find(std::string_view buffer_name, char group) const {
  const int index = find(buffer_name);
  if (index < 0 || buffers[static_cast<std::size_t>(index)].group != group) return nullptr;
  return &buffers[static_cast<std::size_t>(index)];
}

int Profile::carried_in(int buffer) const {
  return buffer >= 0 && static_cast<std::size_t>(buffer) < carried_in_.size()
             ? carried_in_[static_cast<std::size_t>(buffer)]
             : -1;
}

std::string_view Profile::group_title(char letter) const {
  for (const ProfileGroup& group : groups) {
    if (group.letter == letter) return group.title;
  }
  return {};
}

std::vector<std::string> Profile::mistakes() const { return Checker(*this).run(); }

void Profile::validate() {
  if (const auto wrong = mistakes(); !wrong.empty()) {
    throw Error(Errc::format, "profile \"{}\": {}", name, fmt::join(wrong, "; "));
  }
  by_name_.clear();
  by_name_.reserve(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    by_name_.emplace(buffers[i].name, static_cast<int>(i));
    buffers[i].launch = -1;
  }
  carried_in_.assign(buffers.size(), -1);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].carries.empty()) continue;
    carried_in_[static_cast<std::size_t>(find(buffers[i].carries))] = static_cast<int>(i);
  }
  for (std::size_t i = 0; i < launches.size(); ++i) {
    for (const int output : launches[i].outputs) {
      buffers[static_cast<std::size_t>(output)].launch = static_cast<int>(i);
    }
  }
}

}  // namespace foxhunt
