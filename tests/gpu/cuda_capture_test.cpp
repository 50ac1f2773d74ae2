// SPDX-License-Identifier: MIT
// The fake device's scenario on a real one.
#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "dump/capture/cuda_check.h"
#include "dump/capture/cuda_device_queue.h"
#include "dump/capture/device_capture.h"
#include "dump/format/error.h"
#include "tests/dump/capture/device_scenario.h"
#include "tests/gpu/fill_kernel.h"
#include "tests/gpu/gpu_test.h"

namespace foxhunt::test {
namespace {

constexpr long long kSpin = 200'000;  // about 0.1 ms

// u32 [count] on the device.
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t count) : count_(count) {
    FOXHUNT_CUDA_CHECK(cudaMalloc(&data_, bytes()));
  }
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  std::uint32_t* data() const { return static_cast<std::uint32_t*>(data_); }
  std::size_t count() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(std::uint32_t); }

 private:
  std::size_t count_;
  void* data_ = nullptr;
};

class TestStream {
 public:
  TestStream() { FOXHUNT_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~TestStream() { cudaStreamDestroy(stream_); }
  TestStream(const TestStream&) = delete;
  TestStream& operator=(const TestStream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

// Elements that are not what the producer's `version` wrote; all of them if the size is wrong.
std::size_t count_wrong(const Captured& captured, std::size_t count, std::uint32_t version) {
  if (!captured.is_finished || captured.bytes.size() != count * 4) return count + 1;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t value = 0;
    std::memcpy(&value, captured.bytes.data() + i * 4, 4);
    wrong += value != fill_value(version, i);
  }
  return wrong;
}

class CudaCapture : public GpuTest {
 protected:
  void make(DeviceCapture::Options options = {}) {
    capture_ =
        std::make_unique<DeviceCapture>(make_cuda_device_queue(), options, troubles_.handler());
  }

  std::shared_ptr<Captured> capture(const DeviceBuffer& buffer, cudaStream_t stream) {
    auto captured = std::make_shared<Captured>();
    capture_->capture(stream, buffer.data(), buffer.bytes(), collect(captured));
    return captured;
  }

  // Producer, capture, overwrite on one stream, `times` times; returns wrong elements in all.
  std::size_t produce_capture_overwrite(const DeviceBuffer& buffer, cudaStream_t stream,
                                        std::uint32_t times) {
    std::vector<std::shared_ptr<Captured>> all;
    for (std::uint32_t i = 0; i < times; ++i) {
      launch_fill(buffer.data(), buffer.count(), 2 * i + 1, kSpin, stream);
      all.push_back(capture(buffer, stream));
      launch_fill(buffer.data(), buffer.count(), 2 * i + 2, 0, stream);
    }
    capture_->drain();
    std::size_t wrong = 0;
    for (std::uint32_t i = 0; i < times; ++i) {
      wrong += count_wrong(*all[i], buffer.count(), 2 * i + 1);
    }
    return wrong;
  }

  TroubleLog troubles_;
  std::unique_ptr<DeviceCapture> capture_;
};

TEST_F(CudaCapture, SeesTheBytesBetweenTheProducerAndTheOverwrite) {
  make();
  const TestStream stream;
  for (const std::size_t count : {1, 1023, 1'000'003}) {
    const DeviceBuffer buffer(count);
    for (const cudaStream_t s : {stream.get(), cudaStream_t{}, cudaStreamPerThread}) {
      EXPECT_EQ(produce_capture_overwrite(buffer, s, 20), 0u) << count;
    }
  }
  EXPECT_EQ(troubles_.text(), "");
}

TEST_F(CudaCapture, SendsBuffersLargerThanTheWholeBudgetInPieces) {
  make({.staging_bytes = std::size_t{4} << 20, .block_bytes = std::size_t{1} << 20});
  const TestStream stream;
  const DeviceBuffer buffer((std::size_t{64} << 20) / 4 + 1);
  EXPECT_EQ(produce_capture_overwrite(buffer, stream.get(), 3), 0u);
  EXPECT_EQ(troubles_.text(), "");
}

TEST_F(CudaCapture, KeepsManySmallBuffersOfSeveralStreamsApart) {
  make({.staging_bytes = std::size_t{1} << 20, .block_bytes = std::size_t{256} << 10});
  const std::array<TestStream, 4> streams;
  std::vector<std::unique_ptr<DeviceBuffer>> buffers;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    buffers.push_back(std::make_unique<DeviceBuffer>(1000 + i));
  }
  std::vector<std::shared_ptr<Captured>> all;
  constexpr std::uint32_t kCaptures = 2000;
  for (std::uint32_t i = 0; i < kCaptures; ++i) {
    const std::size_t lane = i % streams.size();
    const DeviceBuffer& buffer = *buffers[lane];
    launch_fill(buffer.data(), buffer.count(), 2 * i + 1, 1000, streams[lane].get());
    all.push_back(capture(buffer, streams[lane].get()));
    launch_fill(buffer.data(), buffer.count(), 2 * i + 2, 0, streams[lane].get());
  }
  capture_->drain();
  std::size_t wrong = 0;
  for (std::uint32_t i = 0; i < kCaptures; ++i) {
    wrong += count_wrong(*all[i], buffers[i % streams.size()]->count(), 2 * i + 1);
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(troubles_.text(), "");
}

TEST_F(CudaCapture, DoesNotWaitForTheDevice) {
  make();
  const TestStream stream;
  const DeviceBuffer buffer(1000);
  produce_capture_overwrite(buffer, stream.get(), 1);  // context, pool, first staging
  launch_fill(buffer.data(), buffer.count(), 7, 400'000'000, stream.get());  // some 0.2 s
  const auto captured = capture(buffer, stream.get());
  EXPECT_EQ(cudaStreamQuery(stream.get()), cudaErrorNotReady);
  capture_->drain();
  EXPECT_EQ(count_wrong(*captured, buffer.count(), 7), 0u);
}

TEST_F(CudaCapture, SurvivesAStreamThatIsDestroyedRightAfter) {
  make();
  const DeviceBuffer buffer(100'000);
  std::shared_ptr<Captured> captured;
  {
    const TestStream stream;
    launch_fill(buffer.data(), buffer.count(), 3, 50 * kSpin, stream.get());
    captured = capture(buffer, stream.get());
  }
  capture_->drain();
  EXPECT_EQ(count_wrong(*captured, buffer.count(), 3), 0u);
  EXPECT_EQ(troubles_.text(), "");
}

TEST_F(CudaCapture, EndsAtAStreamThatIsBeingCapturedIntoAGraphAndLeavesTheGraphAlone) {
  make();
  const TestStream stream;
  const DeviceBuffer buffer(1000);
  launch_fill(buffer.data(), buffer.count(), 0, 0, stream.get());  // loads the kernel
  FOXHUNT_CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal));
  launch_fill(buffer.data(), buffer.count(), 1, 0, stream.get());
  const auto captured = capture(buffer, stream.get());
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaSuccess);
  EXPECT_NE(graph, nullptr);
  cudaGraphDestroy(graph);
  capture_->drain();
  EXPECT_FALSE(captured->is_finished);
  EXPECT_THAT(troubles_.text(), testing::HasSubstr("graph"));
}

TEST_F(CudaCapture, CapturesFromOtherStreamsWhileAGraphIsBeingCaptured) {
  make();
  const TestStream graph_stream, stream;
  const DeviceBuffer recorded(1000), buffer(5'000'000);
  launch_fill(buffer.data(), buffer.count(), 0, 0, stream.get());  // loads the kernel
  FOXHUNT_CUDA_CHECK(cudaStreamBeginCapture(graph_stream.get(), cudaStreamCaptureModeGlobal));
  launch_fill(recorded.data(), recorded.count(), 1, 0, graph_stream.get());
  EXPECT_EQ(produce_capture_overwrite(buffer, stream.get(), 2), 0u);  // pins and allocates
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(graph_stream.get(), &graph), cudaSuccess);
  cudaGraphDestroy(graph);
  EXPECT_EQ(troubles_.text(), "");
}

TEST_F(CudaCapture, GivesNullForMemoryThatTheDeviceDoesNotHaveAndGoesOn) {
  const auto queue = make_cuda_device_queue();
  const TestStream stream;
  EXPECT_EQ(queue->allocate(std::size_t{1} << 50, stream.get()), nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  const auto memory = queue->allocate(1000, stream.get());
  ASSERT_NE(memory, nullptr);
  queue->release(memory);
}

TEST_F(CudaCapture, KeepsTheCurrentDeviceOfTheCaller) {
  int devices = 0;
  FOXHUNT_CUDA_CHECK(cudaGetDeviceCount(&devices));
  for (int device = devices - 1; device >= 0; --device) {
    FOXHUNT_CUDA_CHECK(cudaSetDevice(device));
    make();
    {
      const TestStream stream;
      const DeviceBuffer buffer(10'000);
      EXPECT_EQ(produce_capture_overwrite(buffer, stream.get(), 3), 0u) << device;
    }
    capture_.reset();
    int current = -1;
    FOXHUNT_CUDA_CHECK(cudaGetDevice(&current));
    EXPECT_EQ(current, device);
  }
  EXPECT_EQ(troubles_.text(), "");
}

TEST_F(CudaCapture, GivesItsDeviceMemoryBack) {
  const TestStream stream;
  const DeviceBuffer buffer(16 << 20);
  make();
  produce_capture_overwrite(buffer, stream.get(), 1);  // what a context takes once
  capture_.reset();
  std::size_t before = 0, after = 0, total = 0;
  FOXHUNT_CUDA_CHECK(cudaMemGetInfo(&before, &total));
  make();
  produce_capture_overwrite(buffer, stream.get(), 3);
  capture_.reset();
  FOXHUNT_CUDA_CHECK(cudaDeviceSynchronize());
  FOXHUNT_CUDA_CHECK(cudaMemGetInfo(&after, &total));
  EXPECT_GE(after + (std::size_t{4} << 20), before);  // less than one block is missing
}

TEST_F(CudaCapture, NamesTheDeviceDriverAndRuntime) {
  const auto provenance = make_cuda_device_queue()->provenance();
  cudaDeviceProp props{};
  FOXHUNT_CUDA_CHECK(cudaGetDeviceProperties(&props, 0));
  EXPECT_EQ(provenance.at("gpu"), props.name);
  EXPECT_EQ(provenance.at("compute_capability"),
            std::to_string(props.major) + "." + std::to_string(props.minor));
  EXPECT_THAT(provenance.at("gpu_uuid"), testing::MatchesRegex("GPU(-[0-9a-f]+)+"));
  EXPECT_THAT(provenance.at("driver"), testing::HasSubstr("CUDA "));
  EXPECT_THAT(provenance.at("cuda"), testing::MatchesRegex("[0-9]+\\.[0-9]+"));
}

TEST_F(CudaCapture, AFailedCheckClearsTheError) {
  EXPECT_THROW(FOXHUNT_CUDA_CHECK(cudaSetDevice(4242)), Error);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace
}  // namespace foxhunt::test
