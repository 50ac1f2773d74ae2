// SPDX-License-Identifier: MIT
// Fits a plane to points by gradient descent. With an argument, its update has a real defect:
// threads add their share as they come, and a float sum depends on the order.
#include <cstdio>
#include <vector>

#include "dump/capture/cuda_device_queue.h"
#include "dump/capture/dumper.h"
#include "kernels/simt/dialect.h"

constexpr int kRows = 256, kCols = 8;
constexpr std::size_t kWeightBytes = kCols * sizeof(float), kRowsBytes = kRows * kWeightBytes;

__global__ void backward(const float* x, const float* w, float* rows) {
  const int r = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float error = -1;
  for (int c = 0; c < kCols; ++c) error += w[c] * x[r * kCols + c];
  for (int c = 0; c < kCols; ++c) rows[r * kCols + c] = error * x[r * kCols + c] / kRows;
}

__global__ void update(const float* rows, float* w) {
  const int c = static_cast<int>(threadIdx.x);
  float sum = 0;
  for (int r = 0; r < kRows; ++r) sum += rows[r * kCols + c];
  w[c] -= sum;
}

__global__ void update_as_they_come(const float* rows, float* w) {
  atomicAdd(&w[threadIdx.x], -rows[blockIdx.x * blockDim.x + threadIdx.x]);
}

// Buffers, and which kernel makes which from what: a verdict is as sharp as this graph.
foxhunt::Profile make_profile() {
  foxhunt::ProfileBuilder p("minimal-cuda");
  p.group('g', "samples").group('i', "gradient, a row a sample").group('m', "weights");
  p.buffer("x", 'g', foxhunt::DType::f32, {kRows, kCols});
  p.buffer("rows", 'i', foxhunt::DType::f32, {kRows, kCols});
  p.buffer("w", 'm', foxhunt::DType::f32, {kCols});
  p.buffer("w_in", 'm', foxhunt::DType::f32, {kCols}).carries("w");
  p.launch("backward").reads("x").reads("w", 1).makes("rows");  // 1: of the step before
  p.launch("update").reads("rows").reads("w", 1).makes("w");
  return p.build();
}

int main(int argc, char**) {
  std::vector<float> points(kRows * kCols);
  unsigned random = 1;
  for (float& value : points) value = static_cast<float>((random *= 48271u) >> 8) * 0x1p-24f;
  float *x = nullptr, *rows = nullptr, *w = nullptr;
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaMalloc(&x, kRowsBytes);
  cudaMalloc(&rows, kRowsBytes);
  cudaMalloc(&w, kWeightBytes);
  cudaMemcpyAsync(x, points.data(), kRowsBytes, cudaMemcpyHostToDevice, stream);
  cudaMemsetAsync(w, 0, kWeightBytes, stream);

  foxhunt::DumperOptions options;
  options.device = foxhunt::make_cuda_device_queue;
  foxhunt::Dumper dumper = foxhunt::Dumper::from_environment(make_profile, options);
  for (std::uint64_t n = 0; n < 20; ++n) {
    foxhunt::StepScope step = dumper.step(n);
    FOXHUNT_HOOK(step.note_device("w_in", w, kWeightBytes, stream));  // kept where a window starts
    FOXHUNT_HOOK(step.note_device("x", x, kRowsBytes, stream));
    foxhunt::launch(backward, kRows / 32, 32, 0, stream, x, w, rows);
    FOXHUNT_HOOK(step.note_device("rows", rows, kRowsBytes, stream));
    if (argc == 1) {
      foxhunt::launch(update, 1, kCols, 0, stream, rows, w);
    } else {
      foxhunt::launch(update_as_they_come, kRows, kCols, 0, stream, rows, w);
    }
    FOXHUNT_HOOK(step.note_device("w", w, kWeightBytes, stream));
  }  // the scope commits the step
  float fitted[kCols] = {};
  cudaMemcpyAsync(fitted, w, kWeightBytes, cudaMemcpyDeviceToHost, stream);
  const cudaError_t error = cudaStreamSynchronize(stream);
  if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  for (const float weight : fitted) std::printf("%.9g\n", static_cast<double>(weight));
  return error == cudaSuccess ? 0 : 1;
}
