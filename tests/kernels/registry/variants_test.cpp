// SPDX-License-Identifier: MIT
#include "kernels/registry/variants.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace foxhunt {
namespace {

TEST(KernelVariants, AreNumberedFromOneWithinAKernelThatStandsTogether) {
  std::map<std::string_view, int> last;
  std::string_view previous;
  for (const KernelVariant& v : kernel_variants()) {
    EXPECT_TRUE(v.kernel == previous || last.count(v.kernel) == 0) << v.kernel;
    EXPECT_EQ(v.value, last[v.kernel] + 1) << v.kernel << "=" << v.name;
    last[v.kernel] = v.value;
    previous = v.kernel;
  }
}

TEST(KernelVariants, SayWhatIsWrong) {
  for (const KernelVariant& v : kernel_variants()) {
    EXPECT_GT(v.defect.size(), 20u) << v.kernel << "=" << v.name;
    EXPECT_NE(v.name, "deterministic");
    // A store becomes visible late only where each is seen.
    EXPECT_LE(v.needs.weak_memory, v.needs.instrumented) << v.kernel << "=" << v.name;
  }
}

TEST(KernelVariants, HoldEveryKindOfBugOfTheTrainer) {
  std::set<std::string> names;
  for (const KernelVariant& v : kernel_variants()) {
    EXPECT_TRUE(names.insert(std::string(v.kernel) + "=" + std::string(v.name)).second);
  }
  const std::set<std::string> expected = {
      "rl_per_push_ring=atomic_slot",
      "rl_per_push_flush=unsynced_staging",
      "rl_per_tree_rebuild=float_atomics",
      "rl_per_tree_rebuild=multi_block_no_fence",
      "rl_per_sample=shared_rng_counter",
      "rl_noisy_linear_forward=resample_overlap",
      "rl_iqn_forward=tau_arrival_order",
      "dqn_head_fwd=split_k_atomic",
      "dqn_head_fwd=cublas_not_pedantic",
      "dqn_head_fwd=cublas_shared_workspace",
      "mamba2_block_fwd=split_k_atomic",
      "mamba2_block_fwd=cublas_not_pedantic",
      "mamba2_block_fwd=cublas_shared_workspace",
      "bellman_target_projection=scatter_atomics",
      "outcome_label_upload=upload_overwritten",
      "dqn_grad_w_b_h_t=accumulate_racing",
      "iqn_bwd_relu_hadamard=missing_barrier",
      "grad_h_accumulate_scaled=float_atomics",
      "grad_h_accumulate_scaled=stale_lambda",
      "attention_pool_bwd=warp_no_sync",
      "cfc_step_backward_batched=float_atomics",
      "variable_selection_bwd=missing_barrier",
      "layer_norm_bwd=uninitialised_tail",
      "reduce_axis0=float_atomics",
      "reduce_axis0=last_block_no_fence",
      "layer_norm_reduce_param_grads=last_block_no_fence",
      "global_norm_reduce=float_atomics",
      "adam_step=racing_step_counter",
  };
  EXPECT_EQ(names, expected);
}

}  // namespace
}  // namespace foxhunt
