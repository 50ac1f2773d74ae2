// SPDX-License-Identifier: MIT
#include "compare/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "compare/report/json_writer.h"

namespace foxhunt {
namespace {

const char* code(Page::Ink ink) noexcept {
  switch (ink) {
    case Page::Ink::plain:
      break;
    case Page::Ink::good:
      return "\x1b[1;32m";
    case Page::Ink::bad:
      return "\x1b[1;31m";
    case Page::Ink::warn:
      return "\x1b[1;33m";
    case Page::Ink::heading:
      return "\x1b[1m";
    case Page::Ink::quiet:
      return "\x1b[2m";
  }
  return "";
}

}  // namespace

std::string Page::paint(std::string_view text, Ink ink) const {
  if (!colour_ || ink == Ink::plain) return std::string(text);
  return fmt::format("{}{}\x1b[0m", code(ink), text);
}

void Page::line(std::string_view text, Ink ink) {
  text_ += paint(text, ink);
  text_ += '\n';
}

void Page::section(std::string_view heading) {
  text_ += '\n';
  line(heading, Ink::heading);
}

void Page::wrapped(std::string_view first, std::string_view text, std::size_t hanging) {
  std::string row(first);
  bool empty = true;
  while (!text.empty()) {
    const std::size_t cut = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, cut);
    text.remove_prefix(std::min(cut + 1, text.size()));
    if (word.empty()) continue;
    if (!empty && row.size() + 1 + word.size() > kWidth) {
      line(row);
      row.assign(hanging, ' ');
      empty = true;
    }
    if (!empty) row += ' ';
    row += word;
    empty = false;
  }
  line(row);
}

void Page::paragraph(std::string_view text, std::size_t indent, std::size_t hanging) {
  wrapped(std::string(indent, ' '), text, hanging);
}

void Page::labelled(std::string_view label, std::string_view text, std::size_t indent) {
  constexpr std::size_t kLabel = 10;
  std::string first = std::string(indent, ' ') + std::string(label);
  first.resize(std::max(first.size() + 1, indent + kLabel), ' ');
  wrapped(first, text, indent + kLabel);
}

std::string grouped(std::uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string count_of(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string bytes_text(std::uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", value, kUnits[unit]);
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text[0]);
    std::size_t length = utf8_length(text);
    // U+0080 to U+009F are control characters too.
    const bool c1 = length == 2 && byte == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0;
    if (byte >= 0x20 && byte != 0x7f && length > 0 && !c1) {
      out += text.substr(0, length);
    } else {
      length = 1;
      byte == '\n' ? void(out += "\\n")
                   : void(fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte));
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string shell_word(std::string_view text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./-+,:=@%").find(c) != std::string_view::npos;
  });
  if (plain) return std::string(text);
  std::string out = "'";
  for (const char c : printable(text)) c == '\'' ? out += "'\\''" : out += c;
  return out + "'";
}

}  // namespace foxhunt
