// SPDX-License-Identifier: MIT
#include "kernels/update/grad_h_accumulate_scaled.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "kernels/update/grad_h_accumulate_scaled_oracle.h"
#include "tests/kernels/support/device_array.h"
#include "tests/kernels/support/inputs.h"
#include "tests/kernels/support/near_oracle.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {
namespace {

using Variant = GradHAccumulateVariant;

// The weights of one step's heads.
std::vector<float> weights(int step) {
  return random_floats(kGradHHeads, 50 + static_cast<std::uint64_t>(step));
}

// What `steps` calls leave, each with weights of its own, from the same gradients.
class Accumulation {
 public:
  explicit Accumulation(std::size_t size, std::size_t misaligned = 0)
      : size_(size), misaligned_(misaligned) {
    for (std::uint64_t head = 0; head < kGradHHeads; ++head) {
      gradients_.push_back(random_floats(size, 60 + head));
    }
  }

  const std::vector<std::vector<float>>& gradients() const { return gradients_; }

  std::vector<std::vector<float>> run(int steps, Variant variant = Variant::deterministic) const {
    cudaStream_t stream = nullptr, copies = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
    float* host = nullptr;
    cudaMallocHost(&host, static_cast<std::size_t>(steps) * kGradHHeads * sizeof(float));
    std::vector<std::unique_ptr<DeviceArray<float>>> heads, combined;
    HeadGradients pointers{};
    for (const auto& gradient : gradients_) {
      heads.push_back(std::make_unique<DeviceArray<float>>(gradient, misaligned_));
      pointers.head[heads.size() - 1] = heads.back()->get();
    }
    DeviceArray<float> lambda(kGradHHeads);
    for (int step = 0; step < steps; ++step) {
      const auto values = weights(step);
      float* mine = host + step * kGradHHeads;
      std::copy(values.begin(), values.end(), mine);
      combined.push_back(std::make_unique<DeviceArray<float>>(size_));
      grad_h_accumulate_scaled(pointers, static_cast<int>(size_), mine, lambda.get(),
                               combined.back()->get(), stream, copies, variant);
    }
    cudaDeviceSynchronize();
    std::vector<std::vector<float>> results;
    for (const auto& array : combined) results.push_back(array->read());
    cudaFreeHost(host);
    cudaStreamDestroy(copies);
    cudaStreamDestroy(stream);
    return results;
  }

  Bytes bytes(int steps, Variant variant) const {
    Bytes bytes;
    for (const auto& result : run(steps, variant)) append(bytes, result);
    return bytes;
  }

 private:
  std::size_t size_, misaligned_;
  std::vector<std::vector<float>> gradients_;
};

class GradHAccumulate : public testing::TestWithParam<int> {
 protected:
  std::size_t size() const { return static_cast<std::size_t>(GetParam()); }
};

// Each of the five fma rounds a sum of terms once; with atomics the products round as well.
TEST_P(GradHAccumulate, IsTheWeightedSumOfTheHeads) {
  const Accumulation accumulation(size());
  std::vector<std::vector<double>> gradients, magnitudes;
  for (const auto& gradient : accumulation.gradients()) {
    gradients.push_back(to_double(gradient));
    magnitudes.push_back(absolute(to_double(gradient)));
  }
  for (const auto& [variant, roundings] :
       {std::pair(Variant::deterministic, 5.0), std::pair(Variant::float_atomics, 6.0)}) {
    const auto results = accumulation.run(3, variant);
    for (int step = 0; step < 3; ++step) {
      const auto lambda = to_double(weights(step));
      expect_near_oracle(results[static_cast<std::size_t>(step)],
                         oracle::grad_h_accumulate_scaled(gradients, lambda),
                         oracle::grad_h_accumulate_scaled(magnitudes, absolute(lambda)), roundings);
    }
  }
}

TEST_P(GradHAccumulate, IsTheSameUnderEveryScheduleAndAlignment) {
  const Accumulation accumulation(size());
  expect_schedule_invariant([&] { return accumulation.bytes(3, Variant::deterministic); });
  EXPECT_EQ(Accumulation(size(), 1).run(1), accumulation.run(1));
}

INSTANTIATE_TEST_SUITE_P(Sizes, GradHAccumulate, testing::Values(1, 3, 4, 255, 256, 261, 1030));

TEST(GradHAccumulate, WithFloatAtomicsDependsOnTheSchedule) {
  const Accumulation accumulation(1024);
  expect_schedule_dependent("grad_h_accumulate_scaled=float_atomics",
                            [&] { return accumulation.bytes(1, Variant::float_atomics); });
}

TEST(GradHAccumulate, WithAStaleLambdaDependsOnTheSchedule) {
  const Accumulation accumulation(256);
  expect_schedule_dependent("grad_h_accumulate_scaled=stale_lambda",
                            [&] { return accumulation.bytes(3, Variant::stale_lambda); });
}

}  // namespace
}  // namespace foxhunt::test
