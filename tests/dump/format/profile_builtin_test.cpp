// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "dump/format/profile_json.h"

namespace foxhunt {
namespace {

// The graph of the reference trainer, row by row, in the shorthand of the project's design: P is
// params[-1], GRADIENTS the buffers of group l, own[-1] each made buffer's previous instance. Where
// it differs from the design's own table it says more: what one kernel leaves for another is a
// buffer, and an edge stands for memory that is read.
struct Row {
  char group;
  const char *buffers, *maker, *inputs;
};
constexpr Row kTable[] = {
    {'a', "act_window", "host", "act_action[-1]"},
    {'a', "act_h_t", "copy", "act_h_tp1[-1] act_done[-1]"},
    {'a', "act_vsn_out", "variable_selection_fwd", "act_window P"},
    {'a', "act_ln_a_out", "layer_norm_fwd", "act_vsn_out P"},
    {'a', "act_mamba2_out", "mamba2_block_fwd", "act_ln_a_out P"},
    {'a', "act_ln_b_out", "layer_norm_fwd", "act_mamba2_out P"},
    {'a', "act_cfc_out", "cfc_step_forward_batched", "act_ln_b_out act_h_t P"},
    {'a', "act_h_tp1", "attention_pool_fwd", "act_cfc_out P"},
    {'a', "act_pi_logits", "pi_head_fwd", "act_h_tp1 P"},
    {'a', "act_action act_log_pi", "act_sample", "act_pi_logits rng_counters"},
    {'a', "act_reward act_done", "host", "act_action"},
    {'r', "rng_counters", "host", ""},
    {'r', "host_scalars", "host", ""},
    {'r', "host_outcome_labels host_frd_labels", "host", "sampled_index"},
    {'r', "noisy_eps", "rl_noisy_reset_noise", "rng_counters"},
    {'p', "push_staging ring_head", "rl_per_push_ring",
     "act_window act_h_t act_h_tp1 act_action act_log_pi act_reward act_done ring_head[-1]"},
    {'p',
     "replay_h_t replay_h_tp1 replay_window replay_actions replay_rewards replay_dones "
     "replay_log_pi_old",
     "rl_per_push_flush", "push_staging[-1] own[-1]"},
    {'p', "replay_priorities replay_priority_max", "rl_per_update_priorities",
     "sampled_index[-1] td_error[-1] ring_head[-1] own[-1]"},
    {'p', "per_tree", "rl_per_tree_rebuild", "replay_priorities"},
    {'g',
     "sampled_index sampled_h_t sampled_h_tp1 sampled_actions sampled_rewards sampled_dones "
     "sampled_log_pi_old sampled_is_weight sampled_window",
     "rl_per_sample",
     "replay_h_t replay_h_tp1 replay_window replay_actions replay_rewards replay_dones "
     "replay_log_pi_old per_tree rng_counters host_scalars"},
    {'e', "vsn_out", "variable_selection_fwd", "sampled_window P"},
    {'e', "ln_a_out ln_a_mean ln_a_rstd", "layer_norm_fwd", "vsn_out P"},
    {'e', "mamba2_out mamba2_projected mamba2_convolved mamba2_scanned mamba2_gated",
     "mamba2_block_fwd", "ln_a_out P"},
    {'e', "ln_b_out ln_b_mean ln_b_rstd", "layer_norm_fwd", "mamba2_out P"},
    {'e', "cfc_out cfc_gates", "cfc_step_forward_batched", "ln_b_out sampled_h_t P"},
    {'e', "attn_pool_out", "attention_pool_fwd", "cfc_out P"},
    {'h', "noisy_hidden", "rl_noisy_linear_forward", "attn_pool_out noisy_eps P"},
    {'h', "q_logits", "dqn_head_fwd", "noisy_hidden P"},
    {'h', "pi_logits", "pi_head_fwd", "attn_pool_out P"},
    {'h', "v_pred", "v_head_fwd", "attn_pool_out P"},
    {'h', "frd_logits", "frd_head_fwd", "attn_pool_out P"},
    {'h', "outcome_logits", "outcome_head_fwd", "attn_pool_out P"},
    {'h', "iqn_q_values iqn_taus iqn_cosines iqn_embedding iqn_quantiles", "rl_iqn_forward",
     "attn_pool_out rng_counters P"},
    {'h', "dueling_q_composed", "dueling_compose", "q_logits v_pred"},
    {'t', "target_noisy_hidden", "rl_noisy_linear_forward",
     "sampled_h_tp1 noisy_eps target_params[-1]"},
    {'t', "target_q_logits", "dqn_head_fwd", "target_noisy_hidden target_params[-1]"},
    {'t', "target_v", "v_head_fwd", "sampled_h_tp1 target_params[-1]"},
    {'t', "bellman_target td_error", "bellman_target_projection",
     "target_q_logits target_v v_pred sampled_rewards sampled_dones"},
    {'k', "outcome_labels", "outcome_label_upload", "host_outcome_labels"},
    {'k', "frd_labels", "frd_label_upload", "host_frd_labels"},
    {'k', "outcome_w outcome_b", "view", "P"},
    {'j', "iqn_grad_hadamard iqn_grad_quantile iqn_row_embedding", "iqn_bwd_relu_hadamard",
     "iqn_taus iqn_embedding iqn_quantiles bellman_target sampled_actions P"},
    {'j', "grad_h_t_q grad_q_taken grad_noisy_hidden", "dqn_grad_w_b_h_t",
     "q_logits bellman_target sampled_is_weight sampled_actions noisy_hidden noisy_eps "
     "iqn_grad_hadamard P"},
    {'j', "grad_h_t_pi grad_pi_logits", "pi_head_bwd",
     "pi_logits sampled_actions sampled_log_pi_old td_error P"},
    {'j', "grad_h_t_v grad_v_pred", "v_head_bwd", "v_pred bellman_target P"},
    {'j', "grad_h_t_frd grad_frd_logits", "frd_head_bwd", "frd_logits frd_labels P"},
    {'j', "grad_h_t_outcome grad_outcome_logits", "outcome_head_bwd",
     "outcome_logits outcome_labels outcome_w"},
    {'j', "grad_h_t_combined", "grad_h_accumulate_scaled",
     "grad_h_t_q grad_h_t_pi grad_h_t_v grad_h_t_frd grad_h_t_outcome host_scalars"},
    {'d', "grad_cfc_out", "attention_pool_bwd", "grad_h_t_combined cfc_out P"},
    {'i', "attn_grad_q_scratch", "attention_pool_bwd", "grad_h_t_combined cfc_out P"},
    {'d', "grad_ln_b_out", "cfc_step_backward_batched",
     "grad_cfc_out ln_b_out cfc_out cfc_gates sampled_h_t P"},
    {'i', "cfc_grad_w_in_scratch cfc_grad_w_rec_scratch cfc_grad_b_scratch cfc_grad_tau_scratch",
     "cfc_step_backward_batched", "grad_cfc_out ln_b_out cfc_out cfc_gates sampled_h_t P"},
    {'d', "grad_mamba2_out", "layer_norm_bwd", "grad_ln_b_out mamba2_out ln_b_mean ln_b_rstd P"},
    {'i', "grad_ln_b_gain_per_row grad_ln_b_bias_per_row", "layer_norm_bwd",
     "grad_ln_b_out mamba2_out ln_b_mean ln_b_rstd P"},
    {'d', "grad_ln_a_out", "mamba2_block_bwd",
     "grad_mamba2_out ln_a_out mamba2_projected mamba2_convolved mamba2_scanned mamba2_gated P"},
    {'d', "grad_vsn_out", "layer_norm_bwd", "grad_ln_a_out vsn_out ln_a_mean ln_a_rstd P"},
    {'i', "grad_ln_a_gain_per_row grad_ln_a_bias_per_row", "layer_norm_bwd",
     "grad_ln_a_out vsn_out ln_a_mean ln_a_rstd P"},
    {'i', "vsn_grad_w_scratch vsn_grad_b_scratch", "variable_selection_bwd",
     "grad_vsn_out sampled_window P"},
    {'l', "grad_vsn_w", "reduce_axis0", "vsn_grad_w_scratch"},
    {'l', "grad_vsn_b", "reduce_axis0", "vsn_grad_b_scratch"},
    {'l', "grad_cfc_w_in", "reduce_axis0", "cfc_grad_w_in_scratch"},
    {'l', "grad_cfc_w_rec", "reduce_axis0", "cfc_grad_w_rec_scratch"},
    {'l', "grad_cfc_b", "reduce_axis0", "cfc_grad_b_scratch"},
    {'l', "grad_cfc_tau", "reduce_axis0", "cfc_grad_tau_scratch"},
    {'l', "grad_attn_q", "reduce_axis0", "attn_grad_q_scratch"},
    {'l', "grad_ln_a_gain grad_ln_a_bias", "layer_norm_reduce_param_grads",
     "grad_ln_a_gain_per_row grad_ln_a_bias_per_row"},
    {'l', "grad_ln_b_gain grad_ln_b_bias", "layer_norm_reduce_param_grads",
     "grad_ln_b_gain_per_row grad_ln_b_bias_per_row"},
    {'l',
     "grad_mamba2_in_proj grad_mamba2_conv_w grad_mamba2_conv_b grad_mamba2_a_log "
     "grad_mamba2_dt_bias grad_mamba2_d grad_mamba2_out_proj",
     "mamba2_block_bwd",
     "grad_mamba2_out ln_a_out mamba2_projected mamba2_convolved mamba2_scanned mamba2_gated P"},
    {'l', "grad_dqn_w grad_dqn_b", "dqn_grad_w_b_h_t",
     "q_logits bellman_target sampled_is_weight sampled_actions noisy_hidden noisy_eps "
     "iqn_grad_hadamard P"},
    {'l', "grad_noisy_w_mu grad_noisy_w_sigma grad_noisy_b_mu grad_noisy_b_sigma",
     "dqn_grad_w_b_h_t", "attn_pool_out grad_noisy_hidden noisy_eps"},
    {'l', "grad_pi_w grad_pi_b", "pi_head_bwd", "attn_pool_out grad_pi_logits"},
    {'l', "grad_v_w grad_v_b", "v_head_bwd", "attn_pool_out grad_v_pred"},
    {'l', "grad_frd_w grad_frd_b", "frd_head_bwd", "attn_pool_out grad_frd_logits"},
    {'l', "grad_outcome_w grad_outcome_b", "outcome_head_bwd", "attn_pool_out grad_outcome_logits"},
    {'l', "grad_iqn_w grad_iqn_b grad_iqn_tau_w grad_iqn_tau_b", "iqn_bwd_relu_hadamard",
     "attn_pool_out iqn_cosines iqn_embedding iqn_grad_quantile iqn_row_embedding "
     "sampled_actions P"},
    {'m', "grad_global_norm grad_clip_scale", "global_norm_reduce", "GRADIENTS"},
    {'m', "adam_m adam_v adam_state params", "adam_step",
     "GRADIENTS grad_clip_scale host_scalars outcome_w outcome_b own[-1]"},
    {'m', "target_params", "target_update", "params own[-1]"},
};

using Names = std::set<std::string>;

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

Names inputs_of(const Row& row) {
  Names names;
  for (const std::string& word : words(row.inputs)) {
    if (word == "P") {
      names.insert("params[-1]");
    } else if (word == "GRADIENTS") {
      for (const Row& other : kTable) {
        if (other.group != 'l') continue;
        for (const std::string& name : words(other.buffers)) names.insert(name);
      }
    } else if (word == "own[-1]") {
      for (const std::string& name : words(row.buffers)) names.insert(name + "[-1]");
    } else {
      names.insert(word);
    }
  }
  return names;
}

const ProfileBuffer* buffer_named(const std::string& name) {
  const Profile& p = builtin_profile();
  const int index = p.find(name);
  return index < 0 ? nullptr : &p.buffers[static_cast<std::size_t>(index)];
}

const Launch& launch_of(const ProfileBuffer& buffer) {
  return builtin_profile().launches.at(static_cast<std::size_t>(buffer.launch));
}

Names inputs_of(const Launch& launch) {
  Names names;
  for (const Input& input : launch.inputs) {
    names.insert(builtin_profile().buffers[static_cast<std::size_t>(input.buffer)].name +
                 (input.lag == 0 ? "" : "[-1]"));
  }
  return names;
}

TEST(BuiltinProfile, HoldsEveryRowOfTheTable) {
  for (const Row& row : kTable) {
    for (const std::string& name : words(row.buffers)) {
      const ProfileBuffer* buffer = buffer_named(name);
      ASSERT_TRUE(buffer) << name;
      EXPECT_EQ(buffer->group, row.group) << name;
      ASSERT_GE(buffer->launch, 0) << name;
      const Launch& launch = launch_of(*buffer);
      EXPECT_EQ(builtin_profile().makers[static_cast<std::size_t>(launch.maker)].name, row.maker);
      EXPECT_EQ(inputs_of(launch), inputs_of(row)) << name;
    }
  }
}

TEST(BuiltinProfile, HoldsNothingElse) {
  Names known;
  for (const Row& row : kTable) {
    for (const std::string& name : words(row.buffers)) known.insert(name);
  }
  for (const ProfileBuffer& buffer : builtin_profile().buffers) {
    EXPECT_TRUE(known.contains(buffer.name) || !buffer.carries.empty()) << buffer.name;
  }
}

TEST(BuiltinProfile, CapturesTheStateThatIsCarriedIn) {
  Names carried;
  for (const ProfileBuffer& buffer : builtin_profile().buffers) {
    if (buffer.carries.empty()) continue;
    EXPECT_EQ(buffer.name, buffer.carries + "_in");
    EXPECT_EQ(buffer.group, buffer_named(buffer.carries)->group);
    EXPECT_EQ(buffer.dtype, buffer_named(buffer.carries)->dtype);
    EXPECT_EQ(buffer.shape, buffer_named(buffer.carries)->shape);
    EXPECT_EQ(buffer.cadence, Cadence::step);
    carried.insert(buffer.carries);
  }
  EXPECT_EQ(carried, (Names{"params",
                            "adam_m",
                            "adam_v",
                            "target_params",
                            "replay_h_t",
                            "replay_h_tp1",
                            "replay_window",
                            "replay_actions",
                            "replay_rewards",
                            "replay_dones",
                            "replay_log_pi_old",
                            "replay_priorities",
                            "replay_priority_max",
                            "ring_head",
                            "push_staging",
                            "act_h_tp1",
                            "act_action",
                            "act_done",
                            "sampled_index",
                            "td_error",
                            "adam_state"}));
}

TEST(BuiltinProfile, ActsAndPushesOncePerStep) {
  for (const ProfileBuffer& buffer : builtin_profile().buffers) {
    const bool pushed =
        buffer.name == "push_staging" || buffer.name == "ring_head" ||
        (buffer.name.starts_with("replay_") && !buffer.name.starts_with("replay_priorit"));
    EXPECT_EQ(buffer.cadence == Cadence::step,
              buffer.group == 'a' || pushed || !buffer.carries.empty())
        << buffer.name;
  }
}

TEST(BuiltinProfile, TellsPartialsFromTheirSums) {
  for (const ProfileBuffer& buffer : builtin_profile().buffers) {
    EXPECT_EQ(buffer.meaning == Meaning::partial, buffer.group == 'i') << buffer.name;
    if (buffer.meaning != Meaning::reduced) continue;
    const Launch& launch = launch_of(buffer);
    EXPECT_THAT(builtin_profile().makers[static_cast<std::size_t>(launch.maker)].name,
                testing::HasSubstr("reduce"));
  }
}

TEST(BuiltinProfile, NamesItsElementTypes) {
  const std::map<std::string, DType> other = {
      {"act_action", DType::i32},      {"rng_counters", DType::u64},
      {"ring_head", DType::i32},       {"host_outcome_labels", DType::i32},
      {"sampled_index", DType::i32},   {"host_frd_labels", DType::i32},
      {"sampled_actions", DType::i32}, {"outcome_labels", DType::i32},
      {"adam_state", DType::u32},      {"replay_actions", DType::i32},
      {"frd_labels", DType::i32}};
  for (const ProfileBuffer& buffer : builtin_profile().buffers) {
    const std::string& name = buffer.carries.empty() ? buffer.name : buffer.carries;
    const auto found = other.find(name);
    EXPECT_EQ(buffer.dtype, found == other.end() ? DType::f32 : found->second) << name;
  }
}

TEST(BuiltinProfile, TellsTheLaunchesOfOneKernelApart) {
  std::set<std::pair<int, std::string>> seen;
  for (const Launch& launch : builtin_profile().launches) {
    EXPECT_TRUE(seen.emplace(launch.maker, launch.site).second) << launch.site;
  }
  const auto site = [](const std::string& name) { return launch_of(*buffer_named(name)).site; };
  EXPECT_EQ(site("ln_a_out"), "a");
  EXPECT_EQ(site("ln_b_out"), "b");
  EXPECT_EQ(site("grad_mamba2_out"), "b");
  EXPECT_EQ(site("grad_vsn_out"), "a");
  EXPECT_EQ(site("grad_cfc_w_in"), "cfc_w_in");
}

TEST(BuiltinProfile, HasATitleForEachGroupAndAdviceForEachMaker) {
  const Profile& p = builtin_profile();
  for (const ProfileBuffer& buffer : p.buffers) {
    EXPECT_NE(p.group_title(buffer.group), "") << buffer.group;
  }
  for (const Maker& maker : p.makers) EXPECT_NE(maker.advice, "") << maker.name;
  for (const Pattern& pattern : p.patterns) EXPECT_NE(pattern.advice, "");
}

TEST(BuiltinProfile, IsWrittenAsFoxhuntWritesProfiles) {
  EXPECT_EQ(builtin_profile_json(), profile_to_json(builtin_profile()));
}

}  // namespace
}  // namespace foxhunt
