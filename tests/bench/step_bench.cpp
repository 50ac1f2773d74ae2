// SPDX-License-Identifier: MIT
// What the small kernels of a training step cost on the CPU executor, in order, plain build: layer
// norm, reductions, replay, update. Time of the processor, so that what else runs on the machine
// does not count.
#include <fmt/format.h>

#include <cstring>
#include <string>
#include <vector>

#include "kernels/encoder/layer_norm.h"
#include "kernels/reduce/global_norm_reduce.h"
#include "kernels/reduce/layer_norm_reduce_param_grads.h"
#include "kernels/reduce/reduce_axis0.h"
#include "kernels/replay/rl_per_push_flush.h"
#include "kernels/replay/rl_per_push_ring.h"
#include "kernels/replay/rl_per_sample.h"
#include "kernels/replay/rl_per_tree_rebuild.h"
#include "kernels/replay/rl_per_update_priorities.h"
#include "kernels/update/adam_step.h"
#include "kernels/update/grad_h_accumulate_scaled.h"
#include "kernels/update/target_update.h"
#include "tests/bench/kernel_timing.h"
#include "tests/bench/row.h"

namespace foxhunt::bench {
namespace {

// Prints what one of `units` costs.
template <class Work>
void measure(const std::string& what, double units, const char* unit, const Work& work) {
  print({what, seconds(work) / units * 1e9, fmt::format("ns/{}", unit), {}, {}, true});
}

// Device memory of zeros, from that of floats.
template <class T>
T* zeros(Memory& memory, int count) {
  static_assert(sizeof(T) % sizeof(float) == 0);
  float* p = memory.floats(count, sizeof(T) / sizeof(float));
  cudaMemset(p, 0, static_cast<std::size_t>(count) * sizeof(T));
  return reinterpret_cast<T*>(p);
}

ReplayRows replay_rows(Memory& memory, int count, const ReplayShape& shape) {
  return {memory.floats(count, shape.hidden),
          memory.floats(count, shape.hidden),
          memory.floats(count, shape.window),
          zeros<int>(memory, count),
          memory.floats(count),
          memory.floats(count),
          memory.floats(count)};
}

void measure_layer_norm(int rows, int cols) {
  Memory memory;
  const int size = rows * cols;
  float *x = memory.floats(size), *gain = memory.floats(cols), *bias = memory.floats(cols),
        *out = memory.floats(size), *mean = memory.floats(rows), *rstd = memory.floats(rows),
        *grad = memory.floats(size), *grad_x = memory.floats(size), *a = memory.floats(size),
        *b = memory.floats(size);
  const std::string shape = fmt::format("{}x{}", rows, cols);
  measure("layer_norm_fwd " + shape, size, "element",
          [&] { layer_norm_fwd(x, gain, bias, rows, cols, 1e-5f, out, mean, rstd, nullptr); });
  measure("layer_norm_bwd " + shape, size, "element",
          [&] { layer_norm_bwd(grad, x, gain, mean, rstd, rows, cols, grad_x, a, b, nullptr); });
  measure("layer_norm_reduce_param_grads " + shape, 2.0 * size, "element",
          [&] { layer_norm_reduce_param_grads(a, b, rows, cols, gain, bias, nullptr, nullptr); });
  measure("reduce_axis0 " + shape, size, "element",
          [&] { reduce_axis0(x, rows, cols, gain, nullptr, nullptr); });
}

void measure_update(int count) {
  Memory memory;
  float *params = memory.floats(count), *m = memory.floats(count), *v = memory.floats(count),
        *grads = memory.floats(count), *norm = memory.floats(2);
  auto* state = zeros<AdamState>(memory, 1);
  auto* workspace = memory.floats(static_cast<int>(global_norm_workspace(count) / sizeof(float)));
  const std::string size = fmt::format(" {}", count);
  measure("global_norm_reduce" + size, count, "element",
          [&] { global_norm_reduce(grads, count, 1.0f, norm, workspace, nullptr); });
  measure("adam_step" + size, count, "element",
          [&] { adam_step(params, m, v, grads, count, norm + 1, state, {}, nullptr); });
  measure("target_update" + size, count, "element",
          [&] { target_update(params, m, count, 0.005f, nullptr); });
}

void measure_grad_h(int count) {
  Memory memory;
  cudaStream_t stream = nullptr, copies = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&copies);
  float* host = nullptr;
  cudaMallocHost(&host, kGradHHeads * sizeof(float));
  std::memset(host, 0, kGradHHeads * sizeof(float));
  HeadGradients heads{};
  for (auto& head : heads.head) head = memory.floats(count);
  float *lambda = memory.floats(kGradHHeads), *combined = memory.floats(count);
  measure(fmt::format("grad_h_accumulate_scaled 5x{}", count), count, "element",
          [&] { grad_h_accumulate_scaled(heads, count, host, lambda, combined, stream, copies); });
  cudaFreeHost(host);
  cudaStreamDestroy(copies);
  cudaStreamDestroy(stream);
}

void measure_replay(int batch, int capacity, const ReplayShape& shape) {
  Memory memory;
  cudaStream_t stream = nullptr, flushes = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&flushes);
  const ReplayRows ring = replay_rows(memory, capacity, shape),
                   rows = replay_rows(memory, batch, shape);
  float *staging = memory.floats(batch * staging_width(shape)),
        *priorities = memory.floats(capacity + 1), *tree = memory.floats(2 * capacity),
        *weights = memory.floats(batch), *errors = memory.floats(batch);
  int *head = zeros<int>(memory, 1), *index = zeros<int>(memory, batch);
  const std::vector<float> positive(static_cast<std::size_t>(capacity) + 1, 0.5f);
  cudaMemcpy(priorities, positive.data(), positive.size() * sizeof(float), cudaMemcpyHostToDevice);
  const std::string size = fmt::format(" {}", capacity);
  measure(fmt::format("rl_per_push_ring {}", batch), batch, "transition", [&] {
    rl_per_push_ring(read_only(rows), batch, shape, capacity, staging, head, stream);
  });
  measure(fmt::format("rl_per_push_flush {}", batch), batch, "transition",
          [&] { rl_per_push_flush(staging, batch, shape, ring, stream, flushes); });
  measure("rl_per_tree_rebuild" + size, capacity, "leaf",
          [&] { rl_per_tree_rebuild(priorities, capacity, tree, stream); });
  measure(fmt::format("rl_per_sample {} of {}", batch, capacity), batch, "transition", [&] {
    rl_per_sample(tree, capacity, {1, 2, 0.5f, capacity}, batch, read_only(ring), shape, index,
                  weights, rows, nullptr, stream);
  });
  measure(fmt::format("rl_per_update_priorities {}", batch), batch, "transition", [&] {
    rl_per_update_priorities(index, errors, batch, head, batch, capacity, {0.6f, 1e-3f}, priorities,
                             stream);
  });
  cudaStreamDestroy(flushes);
  cudaStreamDestroy(stream);
}

}  // namespace

void run(bool quick) {
  if (quick) repetitions = 1;
  measure_layer_norm(quick ? 16 : 1024, 64);
  measure_update(quick ? 100 : 100000);
  measure_grad_h(quick ? 64 : 4096);
  measure_replay(quick ? 4 : 64, quick ? 64 : 16384, {64, 16 * 16});
}

}  // namespace foxhunt::bench

int main(int argc, char** argv) {
  foxhunt::bench::run(argc > 1 && std::strcmp(argv[1], "--quick") == 0);
}
