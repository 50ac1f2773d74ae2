// SPDX-License-Identifier: MIT
// How much of the memory's bandwidth each kernel of the profile uses: the bytes that it must move,
// over its time, beside a copy within the device in the same run. On the executor the same calls
// are made with a few kilobytes, so that they are known to be right before a device sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dump/format/profile_json.h"
#include "tests/gpu/bandwidth/traffic.h"

namespace foxhunt::test {
namespace {

constexpr bool kOnDevice = std::string_view(FOXHUNT_TEST_BUILD) == "cuda";

// Several times what a cache holds.
constexpr std::size_t kBytes = kOnDevice ? std::size_t{256} << 20 : std::size_t{16} << 10;
constexpr double kSecondsEach = 0.1;
constexpr int kMostCalls = 50;

struct Measured {
  std::size_t bytes;
  double seconds;  // a call
  double rate() const { return static_cast<double>(bytes) / seconds; }
};

class Clock {
 public:
  Clock() {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
    check_cuda(cudaEventCreate(&begin_), "an event");
    check_cuda(cudaEventCreate(&end_), "an event");
  }
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  ~Clock() {
    cudaEventDestroy(end_);
    cudaEventDestroy(begin_);
    cudaStreamDestroy(stream_);
  }

  // Seconds that a call takes, of so many one after the other.
  double time(const std::function<void(cudaStream_t)>& call, int calls) {
    check_cuda(cudaEventRecord(begin_, stream_), "the begin");
    for (int i = 0; i < calls; ++i) call(stream_);
    check_cuda(cudaGetLastError(), "the launch");
    check_cuda(cudaEventRecord(end_, stream_), "the end");
    check_cuda(cudaDeviceSynchronize(), "the kernel");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, begin_, end_), "the time");
    return std::max(1e-9, 1e-3 * milliseconds / calls);
  }

  // The first call, which also loads the kernel, says nothing; the second how many there may be.
  Measured measure(const std::function<void(cudaStream_t)>& call, std::size_t bytes) {
    time(call, 1);
    const double once = time(call, 1);
    if (!kOnDevice) return {bytes, once};
    const int calls = std::clamp(static_cast<int>(kSecondsEach / once), 1, kMostCalls);
    return {bytes, calls == 1 ? once : time(call, calls)};
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

std::vector<BandwidthRow> all_rows() {
  std::vector<BandwidthRow> rows = step_rows();
  for (const auto& more : {encoder_rows(), head_rows()}) {
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

TEST(Bandwidth, CoversEveryKernelOfTheProfile) {
  std::set<std::string> covered;
  for (const BandwidthRow& row : all_rows()) {
    EXPECT_TRUE(covered.insert(row.kernel).second) << row.kernel << " twice";
  }
  int kernels = 0;
  for (const Maker& maker : builtin_profile().makers) {
    if (maker.kind != MakerKind::kernel) continue;
    ++kernels;
    EXPECT_THAT(covered, testing::Contains(maker.name));
  }
  EXPECT_GT(kernels, 30);
}

TEST(Bandwidth, CountsWhatIsReadAndWrittenOnce) {
  Traffic t(64 << 10);
  EXPECT_EQ(t.rows(16), 1024);
  t.reads(10);
  t.writes_ints(5);
  t.scratch(1000);
  EXPECT_EQ(t.bytes(), 60u);
  t.updates(3, 2);
  EXPECT_EQ(t.bytes(), 60u + 48u);
}

// Printed as it comes, so that what was measured survives whoever stops this.
TEST(Bandwidth, IsMeasured) {
  Clock clock;
  Measured copy{};
  {
    Traffic t(kBytes);
    const int half = t.rows(2);
    const float* from = t.reads(half);
    float* to = t.writes(half);
    copy = clock.measure(
        [=](cudaStream_t stream) {
          cudaMemcpyAsync(to, from, static_cast<std::size_t>(half) * sizeof(float),
                          cudaMemcpyDeviceToDevice, stream);
        },
        t.bytes());
  }
  const auto print = [&](const char* name, const Measured& m) {
    std::printf("bandwidth of %s: %.1f MB in %.1f us, %.1f GB/s, %.0f %% of a copy\n", name,
                1e-6 * static_cast<double>(m.bytes), 1e6 * m.seconds, 1e-9 * m.rate(),
                100 * m.rate() / copy.rate());
    std::fflush(stdout);
  };
  print("copy", copy);
  for (const BandwidthRow& row : all_rows()) {
    SCOPED_TRACE(row.kernel);
    try {
      Traffic t(kBytes);
      const auto call = row.make(t);
      EXPECT_GE(t.bytes(), kBytes / 3);  // less would be a wrong number of rows
      if (kOnDevice) {
        EXPECT_LE(t.bytes(), 2 * kBytes);
      }
      print(row.kernel, clock.measure(call, t.bytes()));
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

}  // namespace
}  // namespace foxhunt::test
