// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "tests/kernels/heads/outputs.h"
#include "tests/kernels/support/device_array.h"

namespace foxhunt::heads_test {

// Where the f32 buffers of all cases begin: that many elements behind a 16-byte boundary.
inline std::size_t misalignment = 0;

class Floats : public test::DeviceArray<float> {
 public:
  explicit Floats(std::size_t size) : DeviceArray(size, misalignment) {}
  explicit Floats(const std::vector<float>& values) : DeviceArray(values, misalignment) {}
};

// Parameters are slices of one buffer and may begin anywhere: where no 16-byte access is allowed
// the bits must be those of where it is.
template <class Run>
void expect_same_bits_wherever_buffers_begin(Run run) {
  const test::Bytes aligned = bytes_of(run());
  for (misalignment = 1; misalignment < 4; ++misalignment) {
    EXPECT_EQ(bytes_of(run()), aligned) << "elements behind a boundary: " << misalignment;
  }
  misalignment = 0;
}

}  // namespace foxhunt::heads_test
