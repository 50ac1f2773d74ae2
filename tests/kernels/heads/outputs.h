// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tests/kernels/support/schedules.h"

namespace foxhunt::heads_test {

// What an operation wrote, by buffer; i32 buffers as floats.
using Outputs = std::map<std::string, std::vector<float>>;

inline test::Bytes bytes_of(const Outputs& outputs) {
  test::Bytes bytes;
  for (const auto& [name, values] : outputs) test::append(bytes, values);
  return bytes;
}

inline std::size_t count(int a, int b = 1, int c = 1, int d = 1) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * static_cast<std::size_t>(c) *
         static_cast<std::size_t>(d);
}

inline std::vector<double> widened(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

}  // namespace foxhunt::heads_test
