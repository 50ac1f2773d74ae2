// SPDX-License-Identifier: MIT
// What the race detector says of every variant in the registry: which are data races, between which
// lines, and which are none. A new variant must be entered here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "kernels/encoder/layer_norm.h"
#include "kernels/reduce/global_norm_reduce.h"
#include "kernels/reduce/layer_norm_reduce_param_grads.h"
#include "kernels/reduce/reduce_axis0.h"
#include "kernels/registry/variants.h"
#include "kernels/replay/outcome_label_upload.h"
#include "kernels/replay/rl_per_push_flush.h"
#include "kernels/replay/rl_per_push_ring.h"
#include "kernels/replay/rl_per_sample.h"
#include "kernels/replay/rl_per_tree_rebuild.h"
#include "kernels/update/adam_step.h"
#include "kernels/update/grad_h_accumulate_scaled.h"
#include "tests/kernels/encoder/encoder_chain.h"
#include "tests/kernels/encoder/sizes.h"
#include "tests/kernels/heads/bellman_case.h"
#include "tests/kernels/heads/dqn_case.h"
#include "tests/kernels/heads/iqn_case.h"
#include "tests/kernels/heads/noisy_linear_case.h"
#include "tests/kernels/races/race_test.h"
#include "tests/kernels/support/device_array.h"
#include "tests/kernels/support/inputs.h"

namespace foxhunt::test {
namespace {

constexpr int kRows = 40, kCols = 32;

struct VariantCase {
  const char* variant;
  void (*run)();
  std::vector<std::pair<std::string, std::string>> lines;  // none: no data race
};

void PrintTo(const VariantCase& one, std::ostream* out) { *out << one.variant; }

DeviceArray<float> matrix(std::uint64_t stream) {
  return DeviceArray<float>(random_floats(kRows * kCols, stream));
}

template <ReduceAxis0Variant kVariant>
void reduce_rows() {
  auto in = matrix(1);
  DeviceArray<float> out(kCols);
  DeviceArray<std::byte> workspace(reduce_axis0_workspace(kCols, kVariant));
  reduce_axis0(in.get(), kRows, kCols, out.get(), workspace.get(), nullptr, kVariant);
}

void reduce_norm_rows() {
  constexpr auto kVariant = LayerNormReduceVariant::last_block_no_fence;
  auto gain = matrix(1), bias = matrix(2);
  DeviceArray<float> grad_gain(kCols), grad_bias(kCols);
  DeviceArray<std::byte> workspace(layer_norm_reduce_workspace(kCols, kVariant));
  layer_norm_reduce_param_grads(gain.get(), bias.get(), kRows, kCols, grad_gain.get(),
                                grad_bias.get(), workspace.get(), nullptr, kVariant);
}

void global_norm() {
  constexpr int kCount = 3 * kGlobalNormChunk;
  DeviceArray<float> grads(random_floats(kCount, 3)), out(2);
  DeviceArray<std::byte> workspace(global_norm_workspace(kCount));
  global_norm_reduce(grads.get(), kCount, 1.0f, out.get(), workspace.get(), nullptr,
                     GlobalNormVariant::float_atomics);
}

void layer_norm_backward() {
  auto grad = matrix(1), x = matrix(2);
  DeviceArray<float> gain(random_floats(kCols, 3)), mean(random_floats(kRows, 4)),
      rstd(random_floats(kRows, 5)), grad_x(kRows * kCols), per_row(kRows * kCols),
      bias_per_row(kRows * kCols);
  layer_norm_bwd(grad.get(), x.get(), gain.get(), mean.get(), rstd.get(), kRows, kCols,
                 grad_x.get(), per_row.get(), bias_per_row.get(), nullptr,
                 LayerNormBwdVariant::uninitialised_tail);
}

void count_steps() {
  constexpr int kCount = 5000;
  DeviceArray<float> params(random_floats(kCount, 10)), grads(random_floats(kCount, 11)),
      m(std::vector<float>(kCount, 0.0f)), v(std::vector<float>(kCount, 0.0f));
  DeviceArray<AdamState> state(std::vector<AdamState>{{3, 0.0f, 0.0f}});
  adam_step(params.get(), m.get(), v.get(), grads.get(), kCount, nullptr, state.get(), {}, nullptr,
            AdamVariant::racing_step_counter);
}

struct TwoStreams {
  TwoStreams() {
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  }
  ~TwoStreams() {
    cudaStreamSynchronize(one);
    cudaStreamSynchronize(other);
    cudaStreamDestroy(other);
    cudaStreamDestroy(one);
  }
  TwoStreams(const TwoStreams&) = delete;
  TwoStreams& operator=(const TwoStreams&) = delete;
  cudaStream_t one = nullptr, other = nullptr;
};

template <GradHAccumulateVariant kVariant>
void combine_heads() {
  auto in = matrix(1);
  DeviceArray<float> lambda(kGradHHeads), out(kRows * kCols);
  float* host = nullptr;
  cudaMallocHost(&host, kGradHHeads * sizeof(float));
  std::fill_n(host, kGradHHeads, 0.5f);
  HeadGradients heads{};
  for (auto& head : heads.head) head = in.get();
  {
    const TwoStreams streams;
    for (int call = 0; call < 2; ++call) {
      grad_h_accumulate_scaled(heads, kRows * kCols, host, lambda.get(), out.get(), streams.one,
                               streams.other, kVariant);
    }
  }
  cudaFreeHost(host);
}

template <TreeRebuildVariant kVariant, int kLeaves>
void rebuild_tree() {
  DeviceArray<float> priorities(std::vector<float>(kLeaves, 1.0f)), tree(2 * kLeaves);
  rl_per_tree_rebuild(priorities.get(), kLeaves, tree.get(), nullptr, kVariant);
}

// Twice into a ring of transitions, and once out of it.
template <PushRingVariant kPush, PushFlushVariant kFlush, SampleVariant kSample>
void replay() {
  constexpr int kCapacity = 64, kBatch = 8;
  constexpr ReplayShape kShape{8, 12};
  constexpr std::size_t kWidth = 2 * 8 + 12 + 3;
  DeviceArray<float> ring_memory(random_floats(kCapacity * kWidth, 4)),
      batch_memory(random_floats(kBatch * kWidth, 5)),
      staging(static_cast<std::size_t>(kBatch * staging_width(kShape))),
      priorities(std::vector<float>(kCapacity, 1.0f)), tree(2 * kCapacity), weights(kBatch);
  DeviceArray<int> ring_actions(random_below(kCapacity, 3, 6)),
      batch_actions(random_below(kBatch, 3, 7)), index(kBatch), head(std::vector<int>{60});
  DeviceArray<unsigned> counter(1);
  const auto rows = [&](float* p, int* actions, int n) {
    const auto next = [&](int floats) { return std::exchange(p, p + floats * n); };
    float *h_t = next(kShape.hidden), *h_tp1 = next(kShape.hidden), *window = next(kShape.window);
    float *rewards = next(1), *dones = next(1);
    return ReplayRows{h_t, h_tp1, window, actions, rewards, dones, next(1)};
  };
  const ReplayRows ring = rows(ring_memory.get(), ring_actions.get(), kCapacity);
  const ReplayRows batch = rows(batch_memory.get(), batch_actions.get(), kBatch);
  const TwoStreams streams;
  for (int step = 0; step < 2; ++step) {
    rl_per_push_ring(read_only(batch), kBatch, kShape, kCapacity, staging.get(), head.get(),
                     streams.one, kPush);
    rl_per_push_flush(staging.get(), kBatch, kShape, ring, streams.one, streams.other, kFlush);
  }
  rl_per_tree_rebuild(priorities.get(), kCapacity, tree.get(), streams.one);
  rl_per_sample(tree.get(), kCapacity, {1, 2, 0.5f, kCapacity}, kBatch, read_only(ring), kShape,
                index.get(), weights.get(), batch, counter.get(), streams.one, kSample);
  cudaDeviceSynchronize();
}

void upload_labels() {
  DeviceArray<int> labels(16);
  OutcomeLabelUpload upload(16, LabelUploadVariant::upload_overwritten);
  for (int step = 0; step < 3; ++step) {
    upload.upload(std::vector<int>(16, step).data(), 16, labels.get(), nullptr);
  }
  cudaDeviceSynchronize();
}

void encode(const EncoderVariants& variants) { run_encoder_chain({1, 2, 2, 2, 4, 1, 1}, variants); }

using Heads = heads_test::DqnCase;
constexpr auto kNoPush = PushRingVariant::deterministic;
constexpr auto kNoFlush = PushFlushVariant::deterministic;
constexpr auto kNoSample = SampleVariant::deterministic;
constexpr auto kNoIqn = IqnVariant::deterministic;

std::vector<VariantCase> variant_cases() {
  return {
      // Two accesses that nothing orders, at these lines.
      {"rl_per_tree_rebuild=multi_block_no_fence",
       rebuild_tree<TreeRebuildVariant::multi_block_no_fence, 8>,
       {{"tree[capacity + first + i] = priorities[first + i]", "values[i] = below[i]"}}},
      {"dqn_grad_w_b_h_t=accumulate_racing",
       [] {
         const Heads c(8, 1, 1, 1, 2);
         c.backward(c.forward().at("q_logits"), DqnGradVariant::accumulate_racing);
       },
       {{"element = math::add(element", "element = math::add(element"}}},
      {"iqn_bwd_relu_hadamard=missing_barrier",
       [] {
         heads_test::IqnCase({1, 2, 1, 2, 2}, 3).run(kNoIqn, IqnGradVariant::missing_barrier);
       },
       {{"grads[n] = math::div", "math::fma(grads[n]"},
        {"losses[n] = q.loss", "math::add(sum, losses[n])"}}},
      {"attention_pool_bwd=warp_no_sync",
       [] {
         EncoderVariants v;
         v.attention_pool = AttentionPoolBwdVariant::warp_no_sync;
         encode(v);
       },
       {{"part[t] = share", "if (lane < 2) part[t] += part[t + 2]"},
        {"part[t] = share", "return lane == 0 ? part[t] + part[t + 1]"},
        {"if (lane < 2) part[t] += part[t + 2]", "return lane == 0 ? part[t] + part[t + 1]"}}},
      {"variable_selection_bwd=missing_barrier",
       [] {
         EncoderVariants v;
         v.variable_selection = VariableSelectionBwdVariant::missing_barrier;
         encode(v);
       },
       {{"grad_mix[d][r] = g * open", "math::fma(grad_mix[j][r0 + i]"},
        {"grad_mix[layer.width + d][r] = g", "math::fma(grad_mix[j][r0 + i]"}}},
      {"reduce_axis0=last_block_no_fence",
       reduce_rows<ReduceAxis0Variant::last_block_no_fence>,
       {{"partial[chunk * cols + column] = sum", "total += partial[c * cols + column]"}}},
      {"layer_norm_reduce_param_grads=last_block_no_fence",
       reduce_norm_rows,
       {{"partial[chunk * cols + column] = sum", "total += partial[c * cols + column]"}}},
      {"adam_step=racing_step_counter",
       count_steps,
       {{"state->step = step", "state->step > 0 ? state->step : 1"}}},

      // Atomics: each access is ordered, by chance.
      {"rl_per_push_ring=atomic_slot",
       replay<PushRingVariant::atomic_slot, kNoFlush, kNoSample>,
       {}},
      {"rl_per_tree_rebuild=float_atomics",
       rebuild_tree<TreeRebuildVariant::float_atomics, 256>,
       {}},
      {"rl_per_sample=shared_rng_counter",
       replay<kNoPush, kNoFlush, SampleVariant::shared_rng_counter>,
       {}},
      {"rl_iqn_forward=tau_arrival_order",
       [] {
         heads_test::IqnCase({2, 10, 2, 6, 4}).run(IqnVariant::tau_arrival_order);
       },
       {}},
      {"dqn_head_fwd=split_k_atomic",
       [] { Heads(9, 6, 70, 2, 9).forward(DqnHeadVariant::split_k_atomic); },
       {}},
      {"mamba2_block_fwd=split_k_atomic",
       [] {
         EncoderVariants v;
         v.mamba2 = Mamba2Variant::split_k_atomic;
         encode(v);
       },
       {}},
      {"bellman_target_projection=scatter_atomics",
       [] { heads_test::BellmanCase(3, 3, 11).run(BellmanTargetVariant::scatter_atomics); },
       {}},
      {"grad_h_accumulate_scaled=float_atomics",
       combine_heads<GradHAccumulateVariant::float_atomics>,
       {}},
      {"cfc_step_backward_batched=float_atomics",
       [] {
         EncoderVariants v;
         v.cfc = CfcBackwardVariant::float_atomics;
         encode(v);
       },
       {}},
      {"reduce_axis0=float_atomics", reduce_rows<ReduceAxis0Variant::float_atomics>, {}},
      {"global_norm_reduce=float_atomics", global_norm, {}},

      // What nobody wrote is no access of another thread's.
      {"layer_norm_bwd=uninitialised_tail", layer_norm_backward, {}},

      // Queues: the detector orders whatever the executor runs one after the other.
      {"rl_per_push_flush=unsynced_staging",
       replay<kNoPush, PushFlushVariant::unsynced_staging, kNoSample>,
       {}},
      {"rl_noisy_linear_forward=resample_overlap",
       [] { heads_test::NoisyLinearCase(9, 5, 90).run(NoisyLinearVariant::resample_overlap); },
       {}},
      {"outcome_label_upload=upload_overwritten", upload_labels, {}},
      {"grad_h_accumulate_scaled=stale_lambda",
       combine_heads<GradHAccumulateVariant::stale_lambda>,
       {}},
  };
}

class VariantRaces : public RaceTest, public testing::WithParamInterface<VariantCase> {};

TEST_P(VariantRaces, AreWhatTheTableSays) {
  GetParam().run();
  if (GetParam().lines.empty()) {
    expect_none(GetParam().variant);
  } else {
    expect_between_any(GetParam().lines);
  }
}

std::string name_of(const testing::TestParamInfo<VariantCase>& instance) {
  std::string name = instance.param.variant;
  name.replace(name.find('='), 1, "__");
  return name;
}
INSTANTIATE_TEST_SUITE_P(, VariantRaces, testing::ValuesIn(variant_cases()), name_of);

TEST(VariantRaceTable, HoldsEveryVariantThatTheExecutorRuns) {
  std::multiset<std::string> in_table, in_registry;
  for (const VariantCase& one : variant_cases()) in_table.insert(one.variant);
  for (const KernelVariant& one : kernel_variants()) {
    if (!one.needs.cuda) in_registry.insert(std::string(one.kernel) + "=" + std::string(one.name));
  }
  EXPECT_EQ(in_table, in_registry);
}

}  // namespace
}  // namespace foxhunt::test
