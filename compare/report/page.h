// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace foxhunt {

// Text for a terminal: at most kWidth columns where words allow it, of our own nothing but ASCII (a
// box reached over ssh may show nothing else), colour only as asked.
class Page {
 public:
  static constexpr std::size_t kWidth = 100;

  enum class Ink : std::uint8_t { plain, good, bad, warn, heading, quiet };

  explicit Page(bool colour) : colour_(colour) {}

  // A line as it is.
  void line(std::string_view text, Ink ink = Ink::plain);
  // An empty line, then a heading.
  void section(std::string_view heading);
  // Words wrapped at kWidth: the first line indented by `indent`, the others by `hanging`.
  void paragraph(std::string_view text, std::size_t indent = 2, std::size_t hanging = 2);
  // A paragraph with a label of its own column: "    samples   ...".
  void labelled(std::string_view label, std::string_view text, std::size_t indent = 4);

  // `text` with colour around it, for a piece of a line.
  std::string paint(std::string_view text, Ink ink) const;

  const std::string& text() const noexcept { return text_; }

 private:
  void wrapped(std::string_view first, std::string_view text, std::size_t hanging);

  bool colour_;
  std::string text_;
};

// "1 step", "2 steps", "1,234,567 steps".
std::string count_of(std::uint64_t count, std::string_view noun);
// "1,234,567".
std::string grouped(std::uint64_t number);
// "12.3 MB"; decimal units, as disks are sold.
std::string bytes_text(std::uint64_t bytes);
// Text from outside, fit for a terminal: control characters and what is no UTF-8 as \xNN.
std::string printable(std::string_view text);
// One argument of a command line, quoted where a shell would not take it as it is.
std::string shell_word(std::string_view text);

}  // namespace foxhunt
