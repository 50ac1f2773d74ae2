// SPDX-License-Identifier: MIT
#include "compare/inspect/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "compare/report/output.h"
#include "dump/format/error.h"

namespace foxhunt {
namespace {

struct NumpyType {
  const char* descr;
  bool raw = false;  // NumPy has no such type: the bits as integers
};

NumpyType numpy_type(DType dtype) noexcept {
  switch (dtype) {
    case DType::f16:
      return {"<f2"};
    case DType::bf16:
      return {"<u2", true};
    case DType::f32:
      return {"<f4"};
    case DType::f64:
      return {"<f8"};
    case DType::i8:
      return {"|i1"};
    case DType::u8:
      return {"|u1"};
    case DType::i16:
      return {"<i2"};
    case DType::u16:
      return {"<u2"};
    case DType::i32:
      return {"<i4"};
    case DType::u32:
      return {"<u4"};
    case DType::i64:
      return {"<i8"};
    case DType::u64:
      return {"<u8"};
    case DType::boolean:
      return {"|b1"};
    case DType::f8e4m3:
    case DType::f8e5m2:
      break;
  }
  return {"|u1", true};
}

}  // namespace

std::string npy_header(DType dtype, const Shape& shape) {
  std::string axes;
  for (const std::uint64_t extent : shape) axes += fmt::format("{}, ", extent);
  if (shape.size() == 1) axes.pop_back();  // "(3,)"
  if (shape.size() > 1) axes.resize(axes.size() - 2);
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                 numpy_type(dtype).descr, axes);
  // Magic, version and length are 10 bytes; the elements start at a multiple of 64.
  constexpr std::size_t kFixed = 10, kAlign = 64;
  text.append(kAlign - 1 - (kFixed + text.size()) % kAlign, ' ');
  text += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(text.size() & 0xff);
  head += static_cast<char>(text.size() >> 8);
  return head + text;
}

std::string export_npy(const FoundBuffer& buffer, const std::filesystem::path& to, bool overwrite) {
  WholeFile file(to, overwrite ? WholeFile::Existing::replace : WholeFile::Existing::refuse,
                 {buffer.run->directory().path()});
  const int fd = file.open();
  write_fully(fd, npy_header(buffer.dtype, buffer.shape), file.where());

  BufferHasher hasher(true);
  std::vector<std::byte> block(std::size_t{1} << 20);
  for (std::uint64_t at = 0; at < buffer.file.size();) {
    const auto piece = std::span(block).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), buffer.file.size() - at)));
    buffer.file.read(at, piece);
    if (buffer.payload) hasher.update(piece);
    write_fully(fd, {reinterpret_cast<const char*>(piece.data()), piece.size()}, file.where());
    at += piece.size();
  }
  if (buffer.payload && hasher.finish().payload != buffer.payload) {
    throw Error(
        Errc::format,
        "{}: holds other bytes than its record says; nothing was exported. `inspect-run RUN "
        "verify` looks at the whole run",
        buffer.path);
  }
  if (!buffer.file.unchanged()) {
    throw Error(Errc::io, "{}: changed while it was read; nothing was exported", buffer.path);
  }
  file.commit();
  const NumpyType type = numpy_type(buffer.dtype);
  std::string said =
      fmt::format("{}: {} {} as {}", file.where(), dtype_name(buffer.dtype),
                  buffer.shape.empty() ? "scalar" : format_shape(buffer.shape), type.descr);
  if (type.raw) {
    said += fmt::format("; NumPy has no {}, so these are its bits as unsigned integers",
                        dtype_name(buffer.dtype));
  }
  return said;
}

}  // namespace foxhunt
