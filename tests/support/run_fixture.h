// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dump/format/digest.h"
#include "dump/format/dtype.h"
#include "dump/format/manifest.h"
#include "dump/format/shape.h"

namespace foxhunt::test {

// One buffer of one step. `bytes` are its elements, little-endian.
struct FixtureBuffer {
  std::string name;
  char group = 'g';
  std::string bytes;
  DType dtype = DType::f32;
  std::optional<Shape> shape = {};  // nothing: one axis, as long as the bytes are
  std::uint32_t occurrence = 0;
};

// The bytes of a list of elements: bytes_of<float>({1, 2.5f}).
template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  return bytes_of(std::vector<T>(values));
}

// Writes a run directory straight from a list of buffers, without the dumper: fast, and exactly
// what a test says, wrong things included.
//
//   RunFixture run(directory / "a", RunFixture::Kind::full);
//   run.step(0, {{"sampled_h_t", 'g', bytes_of<float>({1, 2})}});
//   run.finish();
//
// A bare run is complete at once; the others stay open until finish().
class RunFixture {
 public:
  enum class Kind {
    bare,    // dump files only
    full,    // manifest, log, chunk words, payloads
    digest,  // manifest, log, chunk words
  };

  // Creates the directory, parents included. The manifest is written by the first step() or
  // finish(); change manifest() before.
  explicit RunFixture(std::filesystem::path directory, Kind kind = Kind::bare);

  const std::filesystem::path& path() const noexcept { return directory_; }
  // Run id derived from the directory's path, profile empty; the caller's to change.
  Manifest& manifest() noexcept { return manifest_; }

  // One committed step; the buffers stand in execution order.
  void step(std::uint64_t step, const std::vector<FixtureBuffer>& buffers);
  // Places the end marker. Nothing for a bare run.
  void finish(EndState state = EndState::complete, std::string reason = "");

 private:
  void write_manifest();

  std::filesystem::path directory_;
  Kind kind_;
  Manifest manifest_;
  bool manifest_written_ = false;
  RunningCheck running_;
  std::uint64_t records_ = 0, steps_ = 0, words_ = 0;
};

}  // namespace foxhunt::test
