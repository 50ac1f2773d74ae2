// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foxhunt {

// Appends strict JSON (RFC 8259) to a string, piece by piece, so that a document of any length can
// be drained while it grows.
//
//   - Doubles come out in the shortest form that reads back exactly; NaN and infinities, which JSON
//     cannot write, as null. Integers come out in full.
//   - Text may hold anything (paths do): bytes that are no UTF-8 become U+FFFD.
//
// The caller closes what it opens and gives each member of an object a key first.
class JsonWriter {
 public:
  enum class Layout : std::uint8_t {
    lines,     // each element on its own line, indented
    one_line,  // and everything within it
  };

  explicit JsonWriter(std::string& out) : out_(out) {}

  void begin_object(Layout layout = Layout::lines) { open('{', '}', layout); }
  void begin_array(Layout layout = Layout::lines) { open('[', ']', layout); }
  void end();  // of the innermost object or array

  void key(std::string_view name);

  void null();
  void value(bool boolean);
  void value(std::unsigned_integral auto number) { integer(number); }
  void value(int number);
  void value(double number);
  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(const std::string& text) { value(std::string_view(text)); }
  template <class T>
  void value(const std::optional<T>& maybe) {
    maybe ? value(*maybe) : null();
  }
  // On one line.
  template <class T>
  void value(const std::vector<T>& list) {
    begin_array(Layout::one_line);
    for (const T& element : list) value(element);
    end();
  }

  // Text that is JSON already.
  void raw(std::string_view json);

  template <class T>
  void member(std::string_view name, const T& of) {
    key(name);
    value(of);
  }

 private:
  struct Level {
    char close;
    Layout layout;
    bool empty = true;
  };
  void open(char open, char close, Layout layout);
  void separate();  // before an element or a key
  void integer(std::uint64_t number);

  std::string& out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

// Bytes of the well-formed UTF-8 sequence at the start of `text`, which is not empty; 0 for none.
std::size_t utf8_length(std::string_view text) noexcept;

// `text` as a JSON string, quotes included.
void append_json_string(std::string& out, std::string_view text);

}  // namespace foxhunt
