// SPDX-License-Identifier: MIT
#include "compare/inspect/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "compare/numerics/format_value.h"
#include "compare/report/page.h"

namespace foxhunt {
namespace {

constexpr std::uint64_t kPerLine = 8;
constexpr std::size_t kBlock = 64 * 1024;  // a multiple of every element's size

std::string coordinates_text(const Shape& shape, std::uint64_t index) {
  return fmt::format("[{}]", fmt::join(coordinates(shape, index), ","));
}

}  // namespace

void show_buffer(const FoundBuffer& buffer, std::uint64_t limit, const TextSink& out) {
  out(fmt::format("{} ({}), step {}, occurrence {}: {} {}, {}, {} bytes\n", buffer.name,
                  buffer.group, buffer.step, buffer.occurrence, dtype_name(buffer.dtype),
                  buffer.shape.empty() ? "scalar" : format_shape(buffer.shape),
                  count_of(buffer.elements, "element"), grouped(buffer.file.size())));
  if (!buffer.note.empty()) out(buffer.note + "\n");

  const std::uint64_t shown = limit == 0 ? buffer.elements : std::min(limit, buffer.elements);
  const std::uint64_t size = dtype_size(buffer.dtype);
  const std::uint64_t row =
      buffer.shape.empty() ? 1 : std::max<std::uint64_t>(1, buffer.shape.back());
  std::vector<std::byte> block(kBlock);
  std::string text;
  for (std::uint64_t i = 0; i < shown; ++i) {
    const std::size_t at = static_cast<std::size_t>(i * size % kBlock);
    if (at == 0) {
      const std::uint64_t bytes = std::min<std::uint64_t>(kBlock, (shown - i) * size);
      buffer.file.read(i * size, std::span(block).first(static_cast<std::size_t>(bytes)));
      out(text);
      text.clear();
    }
    if (i % row % kPerLine == 0) {
      if (i > 0) text += '\n';
      text += coordinates_text(buffer.shape, i);
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, block.data() + at, size);
    text += ' ';
    text += format_value(buffer.dtype, bits);
  }
  if (shown > 0) text += '\n';
  if (shown < buffer.elements) {
    text += fmt::format("... and {} more; --limit 0 shows all\n", grouped(buffer.elements - shown));
  }
  out(text);
}

}  // namespace foxhunt
