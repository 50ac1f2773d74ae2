// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

// How this folder reads JSON that may be damaged or hostile. Only for the .cpp files that need it:
// nlohmann's header is slow to compile.
namespace foxhunt::json {

using Json = nlohmann::json;

inline constexpr std::size_t kMaxValues = 262144;
inline constexpr int kMaxDepth = 16;

// Where a piece of JSON comes from, for messages: "run_a/foxhunt-manifest.json", "manifest".
struct Source {
  std::string_view where, what;
};

// Looks over the text once, without recursion, before any of it is built: throws Error format if it
// is longer than `max_bytes`, nested deeper than kMaxDepth or holds more than kMaxValues. Returns
// the piece of text that is the value of the outermost object's member `member`, empty where there
// is none; the rest of the text is not checked here.
std::string_view outline(std::string_view text, std::size_t max_bytes, std::string_view member,
                         const Source& source);

// Parses text that outline() has seen. Throws Error format; invalid UTF-8 is refused.
Json parse(std::string_view text, const Source& source);

// A string as JSON, quoted; what is no UTF-8 becomes U+FFFD.
std::string quoted(std::string_view text);

// A value and how it was reached. The nodes that lead to it must outlive it.
class Node {
 public:
  Node(const Json& value, const Source& source) : value_(value), source_(source) {}

  // "…: manifest: launches[3].site: expected …; record the run again or correct the file"
  [[noreturn]] void fail(std::string_view expected) const;

  Node at(std::string_view key) const;  // must be there
  std::optional<Node> find(std::string_view key) const;
  std::size_t size() const;  // of an array
  Node operator[](std::size_t index) const;

  std::string text(std::size_t max_bytes) const;
  std::uint64_t number(std::uint64_t max) const;  // 0 to max, an integer
  bool flag() const;
  bool is_text() const noexcept { return value_.is_string(); }
  const Json& object() const;

 private:
  Node(const Json& value, const Node& parent, std::string_view key, std::size_t index)
      : value_(value), source_(parent.source_), parent_(&parent), key_(key), index_(index) {}
  std::string path() const;

  const Json& value_;
  const Source& source_;
  const Node* parent_ = nullptr;
  std::string_view key_;  // empty: `index_` holds
  std::size_t index_ = 0;
};

}  // namespace foxhunt::json
