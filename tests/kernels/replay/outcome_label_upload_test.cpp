// SPDX-License-Identifier: MIT
#include "kernels/replay/outcome_label_upload.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/kernels/replay/replay_fixture.h"
#include "tests/kernels/support/inputs.h"

namespace foxhunt::test {
namespace {

constexpr int kSteps = 3;

std::vector<int> labels_of_step(std::size_t count, int step) {
  return random_below(count, 1000, 120 + static_cast<std::uint64_t>(step));
}

// What each step's device buffer holds in the end.
std::vector<std::vector<int>> uploaded(
    std::size_t count, LabelUploadVariant variant = LabelUploadVariant::deterministic) {
  const Stream stream;
  OutcomeLabelUpload upload(static_cast<int>(count), variant);
  std::vector<std::unique_ptr<DeviceArray<int>>> device;
  for (int step = 0; step < kSteps; ++step) {
    device.push_back(std::make_unique<DeviceArray<int>>(count));
  }
  for (int step = 0; step < kSteps; ++step) {
    const auto labels = labels_of_step(count, step);
    upload.upload(labels.data(), static_cast<int>(count),
                  device[static_cast<std::size_t>(step)]->get(), stream.get());
  }
  cudaDeviceSynchronize();
  std::vector<std::vector<int>> results;
  for (const auto& array : device) results.push_back(array->read());
  return results;
}

Bytes bytes_of_labels(LabelUploadVariant variant) {
  Bytes bytes;
  for (const auto& labels : uploaded(64, variant)) append(bytes, labels);
  return bytes;
}

TEST(OutcomeLabelUpload, BringsEveryStepsLabels) {
  for (const std::size_t count : {1u, 64u, 1000u}) {
    const auto results = uploaded(count);
    for (int step = 0; step < kSteps; ++step) {
      EXPECT_EQ(results[static_cast<std::size_t>(step)], labels_of_step(count, step));
    }
  }
}

TEST(OutcomeLabelUpload, IsTheSameUnderEverySchedule) {
  expect_schedule_invariant([] { return bytes_of_labels(LabelUploadVariant::deterministic); });
}

TEST(OutcomeLabelUpload, OverwrittenTooEarlyDependsOnTheSchedule) {
  expect_schedule_dependent("outcome_label_upload=upload_overwritten",
                            [] { return bytes_of_labels(LabelUploadVariant::upload_overwritten); });
}

}  // namespace
}  // namespace foxhunt::test
