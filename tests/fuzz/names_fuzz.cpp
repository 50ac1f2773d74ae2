// SPDX-License-Identifier: MIT
// The short texts of a run directory: file names, shapes, dtypes, digests. Each has one spelling,
// so whatever is accepted is written back as it was read.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dump/format/digest.h"
#include "dump/format/dtype.h"
#include "dump/format/error.h"
#include "dump/format/file_name.h"
#include "dump/format/shape.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace foxhunt;
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  if (claims_to_be_dump(text)) {
    std::string why;
    if (const auto name = parse_dump_file_name(text, &why)) {
      FOXHUNT_ASSERT(dump_file_name(*name) == text);
      FOXHUNT_ASSERT(is_group(name->group) && is_buffer_name(name->name));
    } else {
      FOXHUNT_ASSERT(!why.empty());
    }
  }
  if (is_buffer_name(text) && text.size() <= kMaxBufferName) {
    const DumpName name{size, static_cast<std::uint32_t>(size % 3), 'g', std::string(text)};
    const auto read = parse_dump_file_name(dump_file_name(name));
    FOXHUNT_ASSERT(read && *read == name);
    FOXHUNT_ASSERT(dump_file_name(name).size() <= 255);
  }
  if (const auto shape = parse_shape(text)) {
    FOXHUNT_ASSERT(shape->size() <= kMaxRank);
    FOXHUNT_ASSERT(format_shape(*shape) == text);
    element_count(*shape);
  }
  if (const auto dtype = parse_dtype(text)) FOXHUNT_ASSERT(dtype_name(*dtype) == text);
  if (const auto digest = parse_digest(text)) FOXHUNT_ASSERT(format_digest(*digest) == text);
  return 0;
}
