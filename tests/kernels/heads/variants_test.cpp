// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "kernels/heads/bellman_target.h"
#include "kernels/heads/dqn_grad.h"
#include "kernels/heads/dqn_head.h"
#include "kernels/heads/iqn_grad.h"
#include "kernels/registry/selection.h"

namespace foxhunt::heads_test {
namespace {

template <class Enum>
Enum chosen(const char* kernel, const char* variant) {
  VariantSelection selection;
  selection.choose(std::string(kernel) + "=" + variant);
  return selection.variant<Enum>(kernel);
}

TEST(HeadVariants, AreWhatTheRegistryCallsThem) {
  EXPECT_EQ(chosen<NoisyLinearVariant>("rl_noisy_linear_forward", "resample_overlap"),
            NoisyLinearVariant::resample_overlap);
  EXPECT_EQ(chosen<IqnVariant>("rl_iqn_forward", "tau_arrival_order"),
            IqnVariant::tau_arrival_order);
  EXPECT_EQ(chosen<DqnHeadVariant>("dqn_head_fwd", "split_k_atomic"),
            DqnHeadVariant::split_k_atomic);
  EXPECT_EQ(chosen<DqnHeadVariant>("dqn_head_fwd", "cublas_not_pedantic"),
            DqnHeadVariant::cublas_not_pedantic);
  EXPECT_EQ(chosen<DqnHeadVariant>("dqn_head_fwd", "cublas_shared_workspace"),
            DqnHeadVariant::cublas_shared_workspace);
  EXPECT_EQ(chosen<BellmanTargetVariant>("bellman_target_projection", "scatter_atomics"),
            BellmanTargetVariant::scatter_atomics);
  EXPECT_EQ(chosen<DqnGradVariant>("dqn_grad_w_b_h_t", "accumulate_racing"),
            DqnGradVariant::accumulate_racing);
  EXPECT_EQ(chosen<IqnGradVariant>("iqn_bwd_relu_hadamard", "missing_barrier"),
            IqnGradVariant::missing_barrier);
}

}  // namespace
}  // namespace foxhunt::heads_test
