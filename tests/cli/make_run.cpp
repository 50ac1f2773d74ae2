// SPDX-License-Identifier: MIT
// Writes a run directory from lines on standard input, so that a scenario shows on its first screen
// what its runs hold:
//
//     make-run DIR bare|full|digest [open] [cut] [id=HEX] [profile=FILE] [KEY=VALUE...] <<END
//     STEP[.OCCURRENCE] GROUP NAME DTYPE SHAPE VALUE...
//     END
//
// A value is a number, or the element's bits as 0x...; the last one fills what is left of the
// shape. Any other KEY=VALUE is provenance.
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "dump/format/error.h"
#include "dump/format/profile_json.h"
#include "tests/support/run_fixture.h"
#include "tests/support/temporary_directory.h"

namespace foxhunt::test {
namespace {

template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

std::uint64_t parse_bits(DType dtype, const std::string& text) {
  if (text.starts_with("0x")) return std::stoull(text, nullptr, 16);
  if (dtype == DType::f32) return bits_of(std::stof(text));
  if (dtype == DType::f64) return bits_of(std::stod(text));
  if (!is_float(dtype)) return bits_of(std::stoll(text));
  throw Error(Errc::bad_argument, "{}: give the bits of a {} as 0x...", text, dtype_name(dtype));
}

FixtureBuffer parse_buffer(std::istringstream& words) {
  FixtureBuffer buffer;
  std::string dtype, shape, value;
  words >> buffer.group >> buffer.name >> dtype >> shape;
  buffer.dtype = parse_dtype(dtype).value();
  buffer.shape = parse_shape(shape).value();
  std::uint64_t bits = 0;
  for (std::uint64_t i = 0; i < *element_count(*buffer.shape); ++i) {
    if (words >> value) bits = parse_bits(buffer.dtype, value);
    buffer.bytes.append(reinterpret_cast<const char*>(&bits), dtype_size(buffer.dtype));
  }
  return buffer;
}

RunFixture::Kind parse_kind(const std::string& text) {
  if (text == "bare") return RunFixture::Kind::bare;
  if (text == "full") return RunFixture::Kind::full;
  if (text == "digest") return RunFixture::Kind::digest;
  throw Error(Errc::bad_argument, "{}: expected bare, full or digest", text);
}

void make_run(const std::vector<std::string>& arguments) {
  RunFixture run(arguments.at(0), parse_kind(arguments.at(1)));
  bool finish = true, cut = false;
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    const std::size_t equals = arguments[i].find('=');
    const std::string key = arguments[i].substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : arguments[i].substr(equals + 1);
    if (key == "open") {
      finish = false;
    } else if (key == "cut") {
      cut = true;
    } else if (key == "id") {
      run.manifest().run_id = value;
    } else if (key == "profile") {
      run.manifest().profile = profile_from_json(read_file(value), value);
    } else {
      run.manifest().provenance[key] = value;
    }
  }
  std::map<std::uint64_t, std::vector<FixtureBuffer>> steps;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string when;
    if (!(words >> when)) continue;
    FixtureBuffer buffer = parse_buffer(words);
    const std::size_t dot = when.find('.');
    if (dot != std::string::npos) {
      buffer.occurrence = static_cast<std::uint32_t>(std::stoul(when.substr(dot + 1)));
    }
    steps[std::stoull(when)].push_back(std::move(buffer));
  }
  for (const auto& [step, buffers] : steps) run.step(step, buffers);
  if (finish)
    run.finish(cut ? EndState::cut : EndState::complete, cut ? "the limit was reached" : "");
}

}  // namespace
}  // namespace foxhunt::test

int main(int argc, char** argv) {
  try {
    foxhunt::test::make_run({argv + 1, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "make-run: " << error.what() << "\n";
    return 2;
  }
}
