// SPDX-License-Identifier: MIT
// Linked into each test program that runs kernels on a GPU: all of its tests need a device.
#include "tests/gpu/gpu_test.h"

namespace {

class NeedsDevice : public testing::Environment {
 public:
  void SetUp() override { foxhunt::test::require_device(); }
};

[[maybe_unused]] testing::Environment* const kNeedsDevice =
    testing::AddGlobalTestEnvironment(new NeedsDevice);

}  // namespace
