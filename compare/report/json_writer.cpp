// SPDX-License-Identifier: MIT
#include "compare/report/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "dump/format/error.h"

namespace foxhunt {
std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  // 0x80..0xc1 are stray or overlong, above 0xf4 is past U+10FFFF.
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (lead == 0xe0 && byte(1) < 0xa0) return 0;   // overlong
  if (lead == 0xed && byte(1) >= 0xa0) return 0;  // a surrogate
  if (lead == 0xf0 && byte(1) < 0x90) return 0;   // overlong
  if (lead == 0xf4 && byte(1) >= 0x90) return 0;  // past U+10FFFF
  return length;
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const char c = text[0];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else if (const std::size_t length = utf8_length(text); length > 0) {
      out += text.substr(0, length);
      text.remove_prefix(length);
      continue;
    } else {
      out += "\xef\xbf\xbd";
    }
    text.remove_prefix(1);
  }
  out += '"';
}

void JsonWriter::open(char open, char close, Layout layout) {
  separate();
  if (!levels_.empty() && levels_.back().layout == Layout::one_line) layout = Layout::one_line;
  levels_.push_back({close, layout});
  out_ += open;
}

void JsonWriter::end() {
  FOXHUNT_ASSERT(!levels_.empty() && !after_key_);
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.layout == Layout::lines && !level.empty) {
    out_ += '\n';
    out_.append(2 * levels_.size(), ' ');
  }
  out_ += level.close;
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) out_ += ',';
  if (level.layout == Layout::lines) {
    out_ += '\n';
    out_.append(2 * levels_.size(), ' ');
  } else if (!level.empty) {
    out_ += ' ';
  }
  level.empty = false;
}

void JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_ += ": ";
  after_key_ = true;
}

void JsonWriter::null() { raw("null"); }
void JsonWriter::value(bool boolean) { raw(boolean ? "true" : "false"); }

void JsonWriter::integer(std::uint64_t number) {
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", number);
}

void JsonWriter::value(int number) {
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", number);
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  if (number == 0 && std::signbit(number)) return raw("-0.0");  // "-0" reads back as an integer
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", number);
}

void JsonWriter::value(std::string_view text) {
  separate();
  append_json_string(out_, text);
}

void JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
}

}  // namespace foxhunt
