// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <vector>

#include "kernels/simt/diagnostics.h"
#include "kernels/simt/schedule.h"
#include "tests/kernels/simt/device_buffer.h"
#include "tests/kernels/simt/dialect_kernels.h"

namespace foxhunt::simt_test {
namespace {

constexpr int kSize = 500;

std::vector<float> numbers() {
  std::vector<float> values(kSize);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

// The last element after x -> 2x + 1 ran `steps` times.
float expected(int steps) {
  float value = kSize;
  while (steps-- > 0) value = 2 * value + 1;
  return value;
}

class Streams : public testing::TestWithParam<int> {
 protected:
  Streams() : scope_(simt::schedule_for(static_cast<std::uint64_t>(GetParam()), 5)) {
    cudaStreamCreateWithFlags(&a_, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b_, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event_, cudaEventDisableTiming);
    cudaDeviceSynchronize();
  }
  ~Streams() override {
    cudaEventDestroy(event_);
    cudaStreamDestroy(a_);
    cudaStreamDestroy(b_);
  }

  simt::ScheduleScope scope_;
  DeviceBuffer<float> x_{numbers()}, y_{kSize}, z_{kSize};
  cudaStream_t a_ = nullptr, b_ = nullptr;
  cudaEvent_t event_ = nullptr;
};

TEST_P(Streams, KeepTheOrderOfOneStream) {
  scale(x_.data(), kSize, y_.data(), a_);
  scale(y_.data(), kSize, z_.data(), a_);
  scale(z_.data(), kSize, x_.data(), a_);
  EXPECT_EQ(cudaStreamSynchronize(a_), cudaSuccess);
  EXPECT_EQ(x_.values().back(), expected(3));
}

TEST_P(Streams, WaitForAnEvent) {
  scale(x_.data(), kSize, y_.data(), a_);
  cudaEventRecord(event_, a_);
  cudaStreamWaitEvent(b_, event_);
  scale(y_.data(), kSize, z_.data(), b_);
  cudaStreamSynchronize(b_);
  EXPECT_EQ(z_.values().back(), expected(2));
  EXPECT_EQ(cudaEventQuery(event_), cudaSuccess);
}

TEST_P(Streams, KeepAnEventThatIsDestroyedWhileItIsAwaited) {
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  scale(x_.data(), kSize, y_.data(), a_);
  cudaEventRecord(event, a_);
  cudaStreamWaitEvent(b_, event);
  cudaEventDestroy(event);
  scale(y_.data(), kSize, z_.data(), b_);
  cudaStreamSynchronize(b_);
  EXPECT_EQ(z_.values().back(), expected(2));
}

TEST_P(Streams, OrderTheDefaultStreamAmongBlockingOnes) {
  cudaStream_t blocking = nullptr;
  cudaStreamCreate(&blocking);
  scale(x_.data(), kSize, y_.data(), blocking);
  scale(y_.data(), kSize, z_.data(), nullptr);
  scale(z_.data(), kSize, x_.data(), blocking);
  cudaStreamDestroy(blocking);  // its work is still done
  cudaDeviceSynchronize();
  EXPECT_EQ(x_.values().back(), expected(3));
}

TEST_P(Streams, HaveReadPageableMemoryWhenACopyReturns) {
  std::vector<float> host = numbers();
  cudaMemcpyAsync(x_.data(), host.data(), kSize * sizeof(float), cudaMemcpyHostToDevice, a_);
  host.assign(kSize, -1);
  scale(x_.data(), kSize, y_.data(), a_);
  cudaMemcpyAsync(host.data(), y_.data(), kSize * sizeof(float), cudaMemcpyDeviceToHost, a_);
  EXPECT_EQ(host.back(), expected(1));  // without another wait
}

TEST_P(Streams, AnswerQueriesUntilTheWorkIsDone) {
  scale(x_.data(), kSize, y_.data(), a_);
  cudaEventRecord(event_, a_);
  while (cudaEventQuery(event_) == cudaErrorNotReady) {
  }
  EXPECT_EQ(cudaStreamQuery(a_), cudaSuccess);
  EXPECT_EQ(y_.values().back(), expected(1));
}

INSTANTIATE_TEST_SUITE_P(Schedules, Streams, testing::Range(0, 10));

// What CUDA leaves open happens in more than one way.
template <class Run>
std::set<float> outcomes(const Run& run) {
  std::set<float> seen;
  for (std::uint64_t i = 0; i < 40; ++i) {
    const simt::ScheduleScope scope(simt::schedule_for(i, 3));
    seen.insert(run());
  }
  return seen;
}

TEST(StreamsWithoutOrder, ShowPinnedMemoryThatIsReadTooEarly) {
  EXPECT_EQ(outcomes([] {
              DeviceBuffer<float> x(numbers()), y(kSize);
              float* pinned = nullptr;
              cudaMallocHost(&pinned, kSize * sizeof(float));
              pinned[kSize - 1] = 0;
              cudaStream_t stream = nullptr;
              cudaStreamCreate(&stream);
              scale(x.data(), kSize, y.data(), stream);
              cudaMemcpyAsync(pinned, y.data(), kSize * sizeof(float), cudaMemcpyDeviceToHost,
                              stream);
              const float seen = pinned[kSize - 1];
              cudaFreeHost(pinned);
              cudaStreamDestroy(stream);
              return seen;
            }),
            (std::set<float>{0, expected(1)}));
}

TEST(StreamsWithoutOrder, ShowAMissingEvent) {
  EXPECT_EQ(outcomes([] {
              DeviceBuffer<float> x(numbers()), y(kSize), z(kSize);
              y.clear();
              cudaDeviceSynchronize();
              cudaStream_t a = nullptr, b = nullptr;
              cudaStreamCreate(&a);
              cudaStreamCreate(&b);
              scale(x.data(), kSize, y.data(), a);
              scale(y.data(), kSize, z.data(), b);
              cudaStreamDestroy(a);
              cudaStreamDestroy(b);
              cudaDeviceSynchronize();
              return z.values().back();
            }),
            (std::set<float>{1, expected(2)}));
}

TEST(StreamsWithoutOrder, TellOfAWaitForNothing) {
  const simt::ScheduleScope scope{simt::Schedule{}};
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, event), cudaSuccess);
  cudaEventDestroy(event);
  ASSERT_EQ(simt::diagnostics().size(), 1u);
  EXPECT_FALSE(simt::diagnostics()[0].fatal);
}

}  // namespace
}  // namespace foxhunt::simt_test
