// SPDX-License-Identifier: MIT
// What the race detector says of reductions, replay, update and layer norm: nothing. Its word on
// their variants is in variants_race_test.cpp.
#include <gtest/gtest.h>

#include <utility>
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
#include "tests/kernels/races/race_test.h"
#include "tests/kernels/support/device_array.h"
#include "tests/kernels/support/inputs.h"

namespace foxhunt::test {
namespace {

class StepRaces : public RaceTest {
 protected:
  static constexpr int kRows = 40, kCols = 32, kCapacity = 256, kBatch = 8;
  static constexpr ReplayShape kShape{8, 12};

  static ReplayRows rows(DeviceArray<float>& memory, DeviceArray<int>& actions, int count) {
    float* p = memory.get();
    const auto next = [&](int floats) { return std::exchange(p, p + floats * count); };
    float *h_t = next(kShape.hidden), *h_tp1 = next(kShape.hidden), *window = next(kShape.window);
    float *rewards = next(1), *dones = next(1);
    return {h_t, h_tp1, window, actions.get(), rewards, dones, next(1)};
  }

  DeviceArray<float> matrix_{random_floats(kRows * kCols, 1)},
      other_{random_floats(kRows * kCols, 2)};
  DeviceArray<float> columns_{std::vector<float>(kCols, 1.0f)},
      columns2_{std::vector<float>(kCols, 1.0f)};
  DeviceArray<float> workspace_{std::vector<float>(20 * kCols)};
};

TEST_F(StepRaces, AreNoneInReductions) {
  reduce_axis0(matrix_.get(), kRows, kCols, columns_.get(), nullptr, nullptr);
  expect_none("reduce_axis0");
  layer_norm_reduce_param_grads(matrix_.get(), other_.get(), kRows, kCols, columns_.get(),
                                columns2_.get(), nullptr, nullptr);
  expect_none("layer_norm_reduce_param_grads");
  const auto grads = random_floats(3 * kGlobalNormChunk, 3);
  DeviceArray<float> all(grads), norm(2);
  global_norm_reduce(all.get(), 3 * kGlobalNormChunk, 1.0f, norm.get(), workspace_.get(), nullptr);
  expect_none("global_norm_reduce");
}

TEST_F(StepRaces, AreNoneInLayerNorm) {
  DeviceArray<float> out(kRows * kCols), gain_rows(kRows * kCols), bias_rows(kRows * kCols),
      mean(kRows), rstd(kRows);
  layer_norm_fwd(matrix_.get(), columns_.get(), columns2_.get(), kRows, kCols, 1e-5f, out.get(),
                 mean.get(), rstd.get(), nullptr);
  layer_norm_bwd(other_.get(), matrix_.get(), columns_.get(), mean.get(), rstd.get(), kRows, kCols,
                 out.get(), gain_rows.get(), bias_rows.get(), nullptr);
  expect_none("layer norm");
}

TEST_F(StepRaces, AreNoneInUpdates) {
  constexpr int kCount = kRows * kCols;
  DeviceArray<float> m(std::vector<float>(kCount, 0.0f)), v(std::vector<float>(kCount, 0.0f));
  DeviceArray<AdamState> state(std::vector<AdamState>{{0, 0.0f, 0.0f}});
  adam_step(matrix_.get(), m.get(), v.get(), other_.get(), kCount, nullptr, state.get(), {},
            nullptr);
  target_update(matrix_.get(), other_.get(), kCount, 0.5f, nullptr);
  expect_none("updates");

  cudaStream_t stream = nullptr, copies = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
  float* host = nullptr;
  cudaMallocHost(&host, kGradHHeads * sizeof(float));
  std::fill_n(host, kGradHHeads, 0.5f);
  HeadGradients heads{};
  for (auto& head : heads.head) head = matrix_.get();
  DeviceArray<float> lambda(kGradHHeads);
  for (int call = 0; call < 2; ++call) {
    grad_h_accumulate_scaled(heads, kCount, host, lambda.get(), other_.get(), stream, copies);
  }
  expect_none("grad_h_accumulate_scaled");
  cudaFreeHost(host);
  cudaStreamDestroy(copies);
  cudaStreamDestroy(stream);
}

TEST_F(StepRaces, AreNoneInReplay) {
  constexpr std::size_t kRowFloats = 2 * 8 + 12 + 3;
  DeviceArray<float> ring_memory(random_floats(kCapacity * kRowFloats, 4)),
      batch_memory(random_floats(kBatch * kRowFloats, 5));
  DeviceArray<int> ring_actions(random_below(kCapacity, 3, 6)),
      batch_actions(random_below(kBatch, 3, 7)), index(random_below(kBatch, kCapacity, 8)),
      head(std::vector<int>{250});
  const ReplayRows ring = rows(ring_memory, ring_actions, kCapacity);
  const ReplayRows batch = rows(batch_memory, batch_actions, kBatch);
  DeviceArray<float> staging(static_cast<std::size_t>(kBatch * staging_width(kShape)));
  DeviceArray<float> priorities(std::vector<float>(kCapacity + 1, 1.0f)), tree(2 * kCapacity);
  DeviceArray<float> weights(kBatch), errors(random_floats(kBatch, 9));
  cudaStream_t stream = nullptr, flushes = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&flushes, cudaStreamNonBlocking);
  for (int step = 0; step < 2; ++step) {
    rl_per_push_ring(read_only(batch), kBatch, kShape, kCapacity, staging.get(), head.get(),
                     stream);
    rl_per_push_flush(staging.get(), kBatch, kShape, ring, stream, flushes);
    rl_per_update_priorities(index.get(), errors.get(), kBatch, head.get(), kBatch, kCapacity,
                             {0.6f, 1e-3f}, priorities.get(), stream);
    rl_per_tree_rebuild(priorities.get(), kCapacity, tree.get(), stream);
    rl_per_sample(tree.get(), kCapacity, {1, 2, 0.5f, kCapacity}, kBatch, read_only(ring), kShape,
                  index.get(), weights.get(), batch, nullptr, stream);
  }
  expect_none("replay");
  cudaStreamDestroy(flushes);
  cudaStreamDestroy(stream);
}

}  // namespace
}  // namespace foxhunt::test
