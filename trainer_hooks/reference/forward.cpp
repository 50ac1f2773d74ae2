// SPDX-License-Identifier: MIT
// From a sample of the replay ring to the heads' outputs and their targets.
#include "kernels/encoder/attention_pool.h"
#include "kernels/encoder/layer_norm.h"
#include "kernels/encoder/mamba2_block.h"
#include "kernels/encoder/variable_selection.h"
#include "kernels/heads/bellman_target.h"
#include "kernels/heads/dqn_head.h"
#include "kernels/heads/dueling_compose.h"
#include "kernels/heads/label_heads.h"
#include "kernels/heads/pi_head.h"
#include "kernels/heads/v_head.h"
#include "kernels/replay/rl_per_sample.h"
#include "kernels/replay/rl_per_tree_rebuild.h"
#include "kernels/stream_order.h"
#include "trainer_hooks/reference/integrated_trainer.h"

namespace foxhunt {
namespace {

constexpr float kEpsilon = 1e-5f;  // of a layer norm

}  // namespace

void IntegratedTrainer::sample() {
  run("rl_per_tree_rebuild", "", [&] {
    rl_per_tree_rebuild(f("replay_priorities"), s_.capacity, f("per_tree"), stream_,
                        variant<TreeRebuildVariant>("rl_per_tree_rebuild"));
  });
  // Whatever the flush promises: nobody samples from a ring that is being filled.
  wait_for(stream_, flush_stream_);
  run("rl_per_sample", "", [&] {
    const auto* const counters = static_cast<const std::uint64_t*>(b_.place("rng_counters").data);
    const float filled = host_scalar(kFilled);  // whatever an injection has made of it
    const bool in_ring = filled >= 1.0f && filled <= static_cast<float>(s_.capacity);
    const SampleOptions options{counters[0], counters[1], host_scalar(kBeta),
                                in_ring ? static_cast<int>(filled) : s_.capacity};
    rl_per_sample(f("per_tree"), s_.capacity, options, s_.batch, read_only(rows("replay_")),
                  replay_shape(), b_.i32("sampled_index"), f("sampled_is_weight"), rows("sampled_"),
                  reinterpret_cast<unsigned*>(b_.int_scratch("sample_counter", 1)), stream_,
                  variant<SampleVariant>("rl_per_sample"));
  });
  check_cuda(cudaMemcpyAsync(host_ints_, b_.i32("sampled_index"), b_.place("sampled_index").bytes,
                             cudaMemcpyDeviceToHost, stream_),
             "fetching the sampled indices");
  check_cuda(cudaStreamSynchronize(stream_), "sampling");
  run("host", "labels", [&] {
    for (int i = 0; i < s_.batch; ++i) {
      const int day = slot_day_.at(static_cast<std::size_t>(host_ints_[i]));
      b_.i32("host_outcome_labels")[i] = environments_.outcome_label(day);
      b_.i32("host_frd_labels")[i] = environments_.frd_label(day);
    }
  });
  run("rl_noisy_reset_noise", "",
      [&] { rl_noisy_reset_noise(rng_counters(), 2 * s_.hidden, f("noisy_eps"), stream_); });
}

void IntegratedTrainer::encode(const Encoded& e) {
  const int rows = e.rows * s_.window;
  const auto count = [&](int per_row) { return static_cast<std::size_t>(rows * per_row); };
  // What the profile does not know of when agents act, because no backward pass follows.
  const auto kept = [&](const std::string& name, int per_row) {
    const std::string full = e.prefix + name;
    return b_.profile().find(full) >= 0 ? f(full) : b_.scratch(full, count(per_row));
  };
  const auto out = [&](const char* name) { return f(e.prefix + name); };
  const float* const window = e.prefix.empty() ? f(e.window) : on_device(e.window);

  run("variable_selection_fwd", e.update, [&] {
    variable_selection_fwd(window, p("vsn_w"), p("vsn_b"), e.rows, s_.window, s_.features, s_.width,
                           out("vsn_out"), stream_);
  });
  run("layer_norm_fwd", e.norm + "a", [&] {
    layer_norm_fwd(out("vsn_out"), p("ln_a_gain"), p("ln_a_bias"), rows, s_.width, kEpsilon,
                   out("ln_a_out"), kept("ln_a_mean", 1), kept("ln_a_rstd", 1), stream_);
  });
  run("mamba2_block_fwd", e.update, [&] {
    mamba2_block_fwd(out("ln_a_out"), mamba_parameters(), s_.mamba(e.rows),
                     mamba_activations(e.prefix, rows), out("mamba2_out"), stream_,
                     variant<Mamba2Variant>("mamba2_block_fwd"));
  });
  run("layer_norm_fwd", e.norm + "b", [&] {
    layer_norm_fwd(out("mamba2_out"), p("ln_b_gain"), p("ln_b_bias"), rows, s_.width, kEpsilon,
                   out("ln_b_out"), kept("ln_b_mean", 1), kept("ln_b_rstd", 1), stream_);
  });
  run("cfc_step_forward_batched", e.update, [&] {
    cfc_step_forward_batched(out("ln_b_out"), f(e.h_t), cfc_parameters(), e.rows, s_.window,
                             s_.width, s_.hidden, out("cfc_out"), kept("cfc_gates", 3 * s_.hidden),
                             stream_);
  });
  run("attention_pool_fwd", e.update, [&] {
    attention_pool_fwd(out("cfc_out"), p("attn_q"), e.rows, s_.window, s_.hidden, f(e.out),
                       stream_);
  });
}

void IntegratedTrainer::heads() {
  const int n = s_.batch;
  const float* const h = f("attn_pool_out");
  run("rl_noisy_linear_forward", "online", [&] {
    // Drawing the next noise, where that is left to overlap, begins with this forward.
    wait_for(side_stream_, stream_);
    rl_noisy_linear_forward(h, noisy_layer(false), f("noisy_eps"), n, f("noisy_hidden"), stream_,
                            variant<NoisyLinearVariant>("rl_noisy_linear_forward"),
                            {rng_counters(), side_stream_});
  });
  wait_for(stream_, side_stream_);
  run("dqn_head_fwd", "online", [&] {
    dqn_head_fwd(f("noisy_hidden"), p("dqn_w"), p("dqn_b"), n, s_.hidden, s_.actions, s_.atoms,
                 f("q_logits"), stream_, variant<DqnHeadVariant>("dqn_head_fwd"));
  });
  run("pi_head_fwd", "update", [&] {
    pi_head_fwd(h, p("pi_w"), p("pi_b"), n, s_.hidden, s_.actions, f("pi_logits"), stream_);
  });
  run("v_head_fwd", "online",
      [&] { v_head_fwd(h, p("v_w"), p("v_b"), n, s_.hidden, f("v_pred"), stream_); });
  run("frd_head_fwd", "", [&] {
    frd_head_fwd(h, p("frd_w"), p("frd_b"), n, s_.hidden, s_.frd_bins, f("frd_logits"), stream_);
  });
  run("outcome_head_fwd", "", [&] {
    outcome_head_fwd(h, p("outcome_w"), p("outcome_b"), n, s_.hidden, s_.outcomes,
                     f("outcome_logits"), stream_);
  });
  run("rl_iqn_forward", "", [&] {
    rl_iqn_forward(h, rng_counters(), iqn_weights(), iqn_shape(), iqn_activations(),
                   f("iqn_q_values"), stream_, variant<IqnVariant>("rl_iqn_forward"));
  });
  run("dueling_compose", "", [&] {
    dueling_compose(f("q_logits"), f("v_pred"), n, s_.actions, support_, f("dueling_q_composed"),
                    stream_);
  });
}

void IntegratedTrainer::targets() {
  const int n = s_.batch;
  const float* const h = f("sampled_h_tp1");
  run("rl_noisy_linear_forward", "target", [&] {
    rl_noisy_linear_forward(h, noisy_layer(true), f("noisy_eps"), n, f("target_noisy_hidden"),
                            stream_);
  });
  run("dqn_head_fwd", "target", [&] {
    dqn_head_fwd(f("target_noisy_hidden"), b_.target_parameter("dqn_w"),
                 b_.target_parameter("dqn_b"), n, s_.hidden, s_.actions, s_.atoms,
                 f("target_q_logits"), stream_, variant<DqnHeadVariant>("dqn_head_fwd"));
  });
  run("v_head_fwd", "target", [&] {
    v_head_fwd(h, b_.target_parameter("v_w"), b_.target_parameter("v_b"), n, s_.hidden,
               f("target_v"), stream_);
  });
  run("bellman_target_projection", "", [&] {
    bellman_target_projection({f("target_q_logits"), f("target_v"), f("v_pred"),
                               f("sampled_rewards"), f("sampled_dones")},
                              n, s_.actions, support_, options_.discount, f("bellman_target"),
                              f("td_error"), stream_,
                              variant<BellmanTargetVariant>("bellman_target_projection"));
  });
}

// Both uploads go through one pinned buffer, one after the other.
void IntegratedTrainer::upload_labels() {
  run("outcome_label_upload", "", [&] {
    upload_.upload(b_.i32("host_outcome_labels"), s_.batch, b_.i32("outcome_labels"), stream_);
  });
  run("frd_label_upload", "",
      [&] { upload_.upload(b_.i32("host_frd_labels"), s_.batch, b_.i32("frd_labels"), stream_); });
  run("view", "outcome_head", [] {});
}

}  // namespace foxhunt
