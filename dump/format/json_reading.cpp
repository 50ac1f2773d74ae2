// SPDX-License-Identifier: MIT
#include "dump/format/json_reading.h"

#include "dump/format/error.h"

namespace foxhunt::json {
namespace {

template <class... Args>
Error damaged(const Source& source, fmt::format_string<Args...> text, Args&&... args) {
  return Error(Errc::format, "{}: the {} {}", source.where, source.what,
               fmt::format(text, std::forward<Args>(args)...));
}

// The closing quote of the string that opens at `at`, or the text's end.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (std::size_t end = text.find('"', at + 1); end < text.size(); end = text.find('"', end + 1)) {
    std::size_t slash = end;
    while (text[slash - 1] == '\\') --slash;
    if ((end - slash) % 2 == 0) return end;
  }
  return text.size();
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) + 1 - first);
}

}  // namespace

std::string_view outline(std::string_view text, std::size_t max_bytes, std::string_view member,
                         const Source& source) {
  if (text.size() > max_bytes) {
    throw damaged(source, "is {} bytes long; at most {} are read", text.size(), max_bytes);
  }
  std::string_view found;
  std::size_t values = 0, value_start = 0;  // of the member, while its value is passed
  bool in_member = false, expects_key = false;
  int depth = 0;
  const auto end_member = [&](std::size_t end) {
    if (in_member && value_start > end) {  // the key's colon belongs to something behind it
      throw damaged(source, "is not valid JSON near byte {}", end);
    }
    if (in_member) found = trimmed(text.substr(value_start, end - value_start));
    in_member = false;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '"': {
        const std::size_t end = string_end(text, at);
        const bool is_key = depth == 1 && expects_key;
        if (is_key && text.substr(at + 1, end - at - 1) == member) {
          if (!found.empty()) throw damaged(source, "has the key {} twice", member);
          std::size_t colon = end + 1;
          while (colon < text.size() && text[colon] != ':') ++colon;
          in_member = true;
          value_start = colon + 1;
        }
        if (is_key) expects_key = false;
        at = end;
        break;
      }
      case '{':
      case '[':
        if (++depth > kMaxDepth) {
          throw damaged(source, "is nested over {} deep near byte {}", kMaxDepth, at);
        }
        expects_key = depth == 1 && text[at] == '{';
        ++values;
        break;
      case '}':
      case ']':
        if (depth == 1) end_member(at);
        --depth;
        break;
      case ',':
        if (depth == 1) {
          end_member(at);
          expects_key = true;
        }
        ++values;
        break;
      default:
        break;
    }
    if (values > kMaxValues) throw damaged(source, "holds over {} values", kMaxValues);
  }
  return found;
}

Json parse(std::string_view text, const Source& source) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {  // its own text may quote bytes that are no UTF-8
    throw damaged(source, "is not valid JSON near byte {}", e.byte);
  } catch (const Json::exception&) {
    throw damaged(source, "holds a number that no program can read");
  }
}

std::string quoted(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string Node::path() const {
  if (parent_ == nullptr) return "the outermost value";
  const std::string before = parent_->parent_ == nullptr ? "" : parent_->path();
  if (key_.empty()) return fmt::format("{}[{}]", before, index_);
  return before.empty() ? std::string(key_) : fmt::format("{}.{}", before, key_);
}

void Node::fail(std::string_view expected) const {
  throw damaged(source_, "has something else than {} at {}", expected, path());
}

std::optional<Node> Node::find(std::string_view key) const {
  const auto& members = object();
  const auto found = members.find(key);
  if (found == members.end()) return std::nullopt;
  return Node(*found, *this, key, 0);
}

Node Node::at(std::string_view key) const {
  const auto found = object().find(key);
  if (found == value_.end()) {
    throw damaged(source_, "has no \"{}\" in {}; the file is damaged or was not made by foxhunt",
                  key, path());
  }
  return Node(*found, *this, key, 0);
}

std::size_t Node::size() const {
  if (!value_.is_array()) fail("an array");
  return value_.size();
}

Node Node::operator[](std::size_t index) const { return Node(value_[index], *this, {}, index); }

std::string Node::text(std::size_t max_bytes) const {
  const auto* text = value_.get_ptr<const std::string*>();
  if (text == nullptr) fail("a text");
  if (text->size() > max_bytes) fail(fmt::format("a text of at most {} bytes", max_bytes));
  return *text;
}

std::uint64_t Node::number(std::uint64_t max) const {
  const auto* number = value_.get_ptr<const std::uint64_t*>();
  if (number == nullptr || *number > max) fail(fmt::format("an integer from 0 to {}", max));
  return *number;
}

bool Node::flag() const {
  if (!value_.is_boolean()) fail("true or false");
  return value_.get<bool>();
}

const Json& Node::object() const {
  if (!value_.is_object()) fail("an object");
  return value_;
}

}  // namespace foxhunt::json
