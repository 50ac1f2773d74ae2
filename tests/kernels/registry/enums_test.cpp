// SPDX-License-Identifier: MIT
// The registry's numbers are those of the operations' own enums.
#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <string_view>

#include "kernels/encoder/attention_pool.h"
#include "kernels/encoder/cfc_step.h"
#include "kernels/encoder/layer_norm.h"
#include "kernels/encoder/variable_selection.h"
#include "kernels/gemm/gemm.h"
#include "kernels/heads/bellman_target.h"
#include "kernels/heads/dqn_grad.h"
#include "kernels/heads/iqn.h"
#include "kernels/heads/iqn_grad.h"
#include "kernels/heads/noisy_linear.h"
#include "kernels/reduce/global_norm_reduce.h"
#include "kernels/reduce/layer_norm_reduce_param_grads.h"
#include "kernels/reduce/reduce_axis0.h"
#include "kernels/registry/selection.h"
#include "kernels/replay/outcome_label_upload.h"
#include "kernels/replay/rl_per_push_flush.h"
#include "kernels/replay/rl_per_push_ring.h"
#include "kernels/replay/rl_per_sample.h"
#include "kernels/replay/rl_per_tree_rebuild.h"
#include "kernels/update/adam_step.h"
#include "kernels/update/grad_h_accumulate_scaled.h"

namespace foxhunt {
namespace {

struct Named {
  std::string_view kernel, name;
  int value;
};

#define FOXHUNT_NAMED(kernel, Enum, variant) \
  { #kernel, #variant, static_cast < int>(Enum::variant) }
const Named kEnums[] = {
    FOXHUNT_NAMED(rl_per_push_ring, PushRingVariant, atomic_slot),
    FOXHUNT_NAMED(rl_per_push_flush, PushFlushVariant, unsynced_staging),
    FOXHUNT_NAMED(rl_per_tree_rebuild, TreeRebuildVariant, float_atomics),
    FOXHUNT_NAMED(rl_per_tree_rebuild, TreeRebuildVariant, multi_block_no_fence),
    FOXHUNT_NAMED(rl_per_sample, SampleVariant, shared_rng_counter),
    FOXHUNT_NAMED(rl_noisy_linear_forward, NoisyLinearVariant, resample_overlap),
    FOXHUNT_NAMED(rl_iqn_forward, IqnVariant, tau_arrival_order),
    FOXHUNT_NAMED(dqn_head_fwd, GemmVariant, split_k_atomic),
    FOXHUNT_NAMED(dqn_head_fwd, GemmVariant, cublas_not_pedantic),
    FOXHUNT_NAMED(dqn_head_fwd, GemmVariant, cublas_shared_workspace),
    FOXHUNT_NAMED(mamba2_block_fwd, GemmVariant, split_k_atomic),
    FOXHUNT_NAMED(mamba2_block_fwd, GemmVariant, cublas_not_pedantic),
    FOXHUNT_NAMED(mamba2_block_fwd, GemmVariant, cublas_shared_workspace),
    FOXHUNT_NAMED(bellman_target_projection, BellmanTargetVariant, scatter_atomics),
    FOXHUNT_NAMED(outcome_label_upload, LabelUploadVariant, upload_overwritten),
    FOXHUNT_NAMED(dqn_grad_w_b_h_t, DqnGradVariant, accumulate_racing),
    FOXHUNT_NAMED(iqn_bwd_relu_hadamard, IqnGradVariant, missing_barrier),
    FOXHUNT_NAMED(grad_h_accumulate_scaled, GradHAccumulateVariant, float_atomics),
    FOXHUNT_NAMED(grad_h_accumulate_scaled, GradHAccumulateVariant, stale_lambda),
    FOXHUNT_NAMED(attention_pool_bwd, AttentionPoolBwdVariant, warp_no_sync),
    FOXHUNT_NAMED(cfc_step_backward_batched, CfcBackwardVariant, float_atomics),
    FOXHUNT_NAMED(variable_selection_bwd, VariableSelectionBwdVariant, missing_barrier),
    FOXHUNT_NAMED(layer_norm_bwd, LayerNormBwdVariant, uninitialised_tail),
    FOXHUNT_NAMED(reduce_axis0, ReduceAxis0Variant, float_atomics),
    FOXHUNT_NAMED(reduce_axis0, ReduceAxis0Variant, last_block_no_fence),
    FOXHUNT_NAMED(layer_norm_reduce_param_grads, LayerNormReduceVariant, last_block_no_fence),
    FOXHUNT_NAMED(global_norm_reduce, GlobalNormVariant, float_atomics),
    FOXHUNT_NAMED(adam_step, AdamVariant, racing_step_counter),
};
#undef FOXHUNT_NAMED

TEST(KernelVariants, HaveTheNumbersOfTheirOwnEnums) {
  EXPECT_EQ(std::size(kEnums), kernel_variants().size());
  for (const Named& named : kEnums) {
    VariantSelection selection;
    selection.choose(std::string(named.kernel) + "=" + std::string(named.name));
    EXPECT_EQ(selection.value(named.kernel), named.value) << named.kernel << "=" << named.name;
  }
}

TEST(KernelVariants, AreDeterministicUnderZero) {
  for (const int value : {static_cast<int>(AdamVariant::deterministic),
                          static_cast<int>(AttentionPoolBwdVariant::deterministic),
                          static_cast<int>(BellmanTargetVariant::deterministic),
                          static_cast<int>(CfcBackwardVariant::deterministic),
                          static_cast<int>(DqnGradVariant::deterministic),
                          static_cast<int>(GemmVariant::deterministic),
                          static_cast<int>(GlobalNormVariant::deterministic),
                          static_cast<int>(GradHAccumulateVariant::deterministic),
                          static_cast<int>(IqnGradVariant::deterministic),
                          static_cast<int>(IqnVariant::deterministic),
                          static_cast<int>(LabelUploadVariant::deterministic),
                          static_cast<int>(LayerNormBwdVariant::deterministic),
                          static_cast<int>(LayerNormReduceVariant::deterministic),
                          static_cast<int>(NoisyLinearVariant::deterministic),
                          static_cast<int>(PushFlushVariant::deterministic),
                          static_cast<int>(PushRingVariant::deterministic),
                          static_cast<int>(ReduceAxis0Variant::deterministic),
                          static_cast<int>(SampleVariant::deterministic),
                          static_cast<int>(TreeRebuildVariant::deterministic),
                          static_cast<int>(VariableSelectionBwdVariant::deterministic)}) {
    EXPECT_EQ(value, 0);
  }
}

}  // namespace
}  // namespace foxhunt
