// SPDX-License-Identifier: MIT
#include "kernels/simt/explore/outputs.h"

#include <algorithm>
#include <cstring>

#include "dump/format/error.h"

namespace foxhunt {
namespace {

void append(std::vector<std::byte>& bytes, const void* data, std::size_t size) {
  const auto* const first = static_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), first, first + size);
}

void append(std::vector<std::byte>& bytes, std::uint64_t value) {
  append(bytes, &value, sizeof(value));
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  bool at_end() const { return rest_.empty(); }
  std::span<const std::byte> take(std::uint64_t size) {
    if (size > rest_.size()) {
      throw Error(Errc::format, "outputs of a case end {} bytes early", size - rest_.size());
    }
    const auto taken = rest_.first(static_cast<std::size_t>(size));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
    return value;
  }

 private:
  std::span<const std::byte> rest_;
};

template <class T>
std::string text_of(const std::byte* element) {
  T value;
  std::memcpy(&value, element, sizeof(value));
  if constexpr (sizeof(T) == 1) return fmt::format("{}", static_cast<int>(value));
  return fmt::format("{}", value);
}

std::string text_of(ElementType type, const std::byte* element) {
  switch (type) {
    case ElementType::f32:
      return text_of<float>(element);
    case ElementType::f64:
      return text_of<double>(element);
    case ElementType::i8:
      return text_of<std::int8_t>(element);
    case ElementType::u8:
      return text_of<std::uint8_t>(element);
    case ElementType::i16:
      return text_of<std::int16_t>(element);
    case ElementType::u16:
      return text_of<std::uint16_t>(element);
    case ElementType::i32:
      return text_of<std::int32_t>(element);
    case ElementType::u32:
      return text_of<std::uint32_t>(element);
    case ElementType::i64:
      return text_of<std::int64_t>(element);
    case ElementType::u64:
      return text_of<std::uint64_t>(element);
    case ElementType::bytes:
      break;
  }
  return "";
}

std::string hexadecimal(const std::byte* element, std::size_t size) {
  std::string text;
  for (std::size_t i = size; i > 0; --i) {
    text += fmt::format("{:02x}", std::to_integer<unsigned>(element[i - 1]));
  }
  return text;
}

struct Element {
  std::string text, bits;
};

Element element_at(const ExploredOutput& output, std::uint64_t index) {
  const std::size_t at = static_cast<std::size_t>(index) * output.element_bytes;
  if (at + output.element_bytes > output.values.size()) return {};
  const std::byte* const element = output.values.data() + at;
  Element result{text_of(output.type, element), hexadecimal(element, output.element_bytes)};
  if (output.type == ElementType::bytes) result.text = "0x" + result.bits;
  return result;
}

std::uint64_t count(const ExploredOutput& output) {
  return output.values.size() / output.element_bytes;
}

// Of two outputs of one name and type.
std::optional<OutputDifference> difference(const ExploredOutput& a, const ExploredOutput& b) {
  if (a.values == b.values) return std::nullopt;
  OutputDifference result;
  result.output = a.name;
  result.type = name(a.type);
  result.elements = count(a);
  result.other_elements = count(b);
  const std::uint64_t both = std::min(result.elements, result.other_elements);
  result.index = both;
  for (std::uint64_t i = both; i > 0; --i) {
    const std::size_t at = static_cast<std::size_t>(i - 1) * a.element_bytes;
    if (std::memcmp(a.values.data() + at, b.values.data() + at, a.element_bytes) != 0) {
      result.index = i - 1;
      ++result.differ;
    }
  }
  const Element in_order = element_at(a, result.index), other = element_at(b, result.index);
  result.in_order = in_order.text;
  result.in_order_bits = in_order.bits;
  result.other = other.text;
  result.other_bits = other.bits;
  return result;
}

}  // namespace

const char* name(ElementType type) noexcept {
  constexpr const char* kNames[] = {"f32", "f64", "i8",  "u8",  "i16",  "u16",
                                    "i32", "u32", "i64", "u64", "bytes"};
  return kNames[static_cast<std::size_t>(type)];
}

std::vector<std::byte> pack(const std::vector<ExploredOutput>& outputs) {
  std::vector<std::byte> bytes;
  for (const ExploredOutput& output : outputs) {
    append(bytes, output.name.size());
    append(bytes, output.name.data(), output.name.size());
    append(bytes, static_cast<std::uint64_t>(output.type));
    append(bytes, output.element_bytes);
    append(bytes, output.values.size());
    append(bytes, output.values.data(), output.values.size());
  }
  return bytes;
}

std::vector<ExploredOutput> unpack(std::span<const std::byte> bytes) {
  std::vector<ExploredOutput> outputs;
  for (Reader reader(bytes); !reader.at_end();) {
    ExploredOutput output;
    const auto text = reader.take(reader.number());
    output.name.assign(reinterpret_cast<const char*>(text.data()), text.size());
    const std::uint64_t type = reader.number();
    output.element_bytes = static_cast<std::size_t>(reader.number());
    if (type > static_cast<std::uint64_t>(ElementType::bytes) || output.element_bytes == 0) {
      throw Error(Errc::format, "output {} of a case has type {} with elements of {} bytes",
                  output.name, type, output.element_bytes);
    }
    output.type = static_cast<ElementType>(type);
    const auto values = reader.take(reader.number());
    output.values.assign(values.begin(), values.end());
    outputs.push_back(std::move(output));
  }
  return outputs;
}

std::optional<OutputDifference> first_difference(const std::vector<ExploredOutput>& in_order,
                                                 const std::vector<ExploredOutput>& other) {
  const std::size_t both = std::min(in_order.size(), other.size());
  for (std::size_t i = 0; i < both; ++i) {
    const ExploredOutput &a = in_order[i], &b = other[i];
    if (a.name != b.name || a.type != b.type || a.element_bytes != b.element_bytes) {
      ExploredOutput nothing = a;
      nothing.values.clear();
      return difference(a, nothing);
    }
    if (const auto found = difference(a, b)) return found;
  }
  if (in_order.size() == other.size()) return std::nullopt;
  ExploredOutput extra = in_order.size() > both ? in_order[both] : other[both];
  ExploredOutput nothing = extra;
  nothing.values.clear();
  return in_order.size() > both ? difference(extra, nothing) : difference(nothing, extra);
}

}  // namespace foxhunt
