// SPDX-License-Identifier: MIT
// From the heads' losses back to the parameters' gradients, and the update.
#include "kernels/encoder/attention_pool.h"
#include "kernels/encoder/layer_norm.h"
#include "kernels/encoder/mamba2_block.h"
#include "kernels/encoder/variable_selection.h"
#include "kernels/heads/dqn_grad.h"
#include "kernels/heads/label_heads.h"
#include "kernels/heads/pi_head.h"
#include "kernels/heads/v_head.h"
#include "kernels/reduce/global_norm_reduce.h"
#include "kernels/reduce/layer_norm_reduce_param_grads.h"
#include "kernels/reduce/reduce_axis0.h"
#include "kernels/stream_order.h"
#include "kernels/update/adam_step.h"
#include "kernels/update/grad_h_accumulate_scaled.h"
#include "kernels/update/target_update.h"
#include "trainer_hooks/reference/integrated_trainer.h"

namespace foxhunt {
namespace {

constexpr float kKappa = 1.0f;  // of the quantile Huber loss
constexpr float kClip = 0.2f;   // of PPO's ratio

std::size_t elements(int a, int b = 1, int c = 1) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * static_cast<std::size_t>(c);
}

}  // namespace

void IntegratedTrainer::backward_heads() {
  const int n = s_.batch;
  const float* const h = f("attn_pool_out");
  const float* const target = f("bellman_target");
  const auto loss_rows = [&](const std::string& head) {
    return b_.scratch(head + "_loss_rows", elements(n));
  };

  const IqnGradInputs iqn{
      h, target, b_.i32("sampled_actions"), iqn_weights(), iqn_activations(), support_, kKappa};
  const IqnGradOutputs iqn_out{loss_rows("iqn"), f("iqn_grad_quantile"), f("iqn_row_embedding"),
                               f("iqn_grad_hadamard")};
  run("iqn_bwd_relu_hadamard", "h", [&] {
    iqn_bwd_relu_hadamard(iqn, iqn_shape(), iqn_out, stream_,
                          variant<IqnGradVariant>("iqn_bwd_relu_hadamard"));
  });
  const DqnGradInputs dqn{
      f("q_logits"),         target,     f("sampled_is_weight"), b_.i32("sampled_actions"),
      f("noisy_hidden"),     p("dqn_w"), noisy_layer(false),     f("noisy_eps"),
      f("iqn_grad_hadamard")};
  run("dqn_grad_w_b_h_t", "h", [&] {
    dqn_grad_w_b_h_t(dqn, n, s_.actions, s_.atoms,
                     {loss_rows("q"), f("grad_q_taken"), f("grad_noisy_hidden"), f("grad_h_t_q"),
                      g("dqn_w"), g("dqn_b")},
                     stream_, variant<DqnGradVariant>("dqn_grad_w_b_h_t"));
  });
  run("pi_head_bwd", "h", [&] {
    pi_head_bwd({f("pi_logits"), b_.i32("sampled_actions"), f("sampled_log_pi_old"), f("td_error")},
                p("pi_w"), n, s_.hidden, s_.actions, {kClip, options_.entropy_weight},
                loss_rows("pi"), f("grad_pi_logits"), f("grad_h_t_pi"), stream_);
  });
  run("v_head_bwd", "h", [&] {
    v_head_bwd(f("v_pred"), target, p("v_w"), n, s_.hidden, support_, loss_rows("v"),
               f("grad_v_pred"), f("grad_h_t_v"), stream_);
  });
  run("frd_head_bwd", "h", [&] {
    frd_head_bwd(f("frd_logits"), b_.i32("frd_labels"), p("frd_w"), n, s_.hidden, s_.frd_bins,
                 loss_rows("frd"), f("grad_frd_logits"), f("grad_h_t_frd"), stream_);
  });
  run("outcome_head_bwd", "h", [&] {
    outcome_head_bwd(f("outcome_logits"), b_.i32("outcome_labels"), f("outcome_w"), n, s_.hidden,
                     s_.outcomes, loss_rows("outcome"), f("grad_outcome_logits"),
                     f("grad_h_t_outcome"), stream_);
  });
  run("grad_h_accumulate_scaled", "", [&] {
    for (int head = 0; head < kGradHHeads; ++head) {
      host_lambda_[head] = host_scalar(static_cast<HostScalar>(kLambdaQ + head));
    }
    grad_h_accumulate_scaled({{f("grad_h_t_q"), f("grad_h_t_pi"), f("grad_h_t_v"),
                               f("grad_h_t_frd"), f("grad_h_t_outcome")}},
                             n * s_.hidden, host_lambda_, b_.scratch("lambda", kGradHHeads),
                             f("grad_h_t_combined"), stream_, side_stream_,
                             variant<GradHAccumulateVariant>("grad_h_accumulate_scaled"));
  });
  wait_for(stream_, side_stream_);

  run("pi_head_bwd", "weights", [&] {
    pi_head_bwd_weights(h, f("grad_pi_logits"), n, s_.hidden, s_.actions, g("pi_w"), g("pi_b"),
                        stream_);
  });
  run("v_head_bwd", "weights",
      [&] { v_head_bwd_weights(h, f("grad_v_pred"), n, s_.hidden, g("v_w"), g("v_b"), stream_); });
  run("frd_head_bwd", "weights", [&] {
    frd_head_bwd_weights(h, f("grad_frd_logits"), n, s_.hidden, s_.frd_bins, g("frd_w"), g("frd_b"),
                         stream_);
  });
  run("outcome_head_bwd", "weights", [&] {
    outcome_head_bwd_weights(h, f("grad_outcome_logits"), n, s_.hidden, s_.outcomes, g("outcome_w"),
                             g("outcome_b"), stream_);
  });
  run("iqn_bwd_relu_hadamard", "weights", [&] {
    iqn_bwd_weights(iqn, iqn_shape(), iqn_out,
                    {b_.scratch("iqn_grad_embedding", elements(n, s_.quantiles, s_.hidden)),
                     g("iqn_tau_w"), g("iqn_tau_b"), g("iqn_w"), g("iqn_b")},
                    stream_);
  });
  run("dqn_grad_w_b_h_t", "noisy", [&] {
    dqn_grad_noisy(h, f("grad_noisy_hidden"), noisy_layer(false), f("noisy_eps"), n,
                   g("noisy_w_mu"), g("noisy_w_sigma"), g("noisy_b_mu"), g("noisy_b_sigma"),
                   stream_);
  });
}

void IntegratedTrainer::reduce(const std::string& scratch, const std::string& parameter) {
  const auto chosen = variant<ReduceAxis0Variant>("reduce_axis0");
  const int columns = b_.size(scratch) / s_.batch;
  run("reduce_axis0", parameter, [&] {
    reduce_axis0(f(scratch), s_.batch, columns, g(parameter),
                 b_.scratch("reduce " + parameter,
                            reduce_axis0_workspace(columns, chosen) / sizeof(float) + 1),
                 stream_, chosen);
  });
}

void IntegratedTrainer::backward_layer_norm(const std::string& site, const std::string& x,
                                            const std::string& grad_out,
                                            const std::string& grad_x) {
  const std::string name = "ln_" + site;
  const int rows = s_.batch * s_.window;
  run("layer_norm_bwd", site, [&] {
    layer_norm_bwd(f(grad_out), f(x), p(name + "_gain"), f(name + "_mean"), f(name + "_rstd"), rows,
                   s_.width, f(grad_x), f("grad_" + name + "_gain_per_row"),
                   f("grad_" + name + "_bias_per_row"), stream_,
                   variant<LayerNormBwdVariant>("layer_norm_bwd"));
  });
}

void IntegratedTrainer::backward_encoder() {
  const int n = s_.batch, rows = n * s_.window;
  run("attention_pool_bwd", "", [&] {
    attention_pool_bwd(f("cfc_out"), p("attn_q"), f("grad_h_t_combined"), n, s_.window, s_.hidden,
                       f("grad_cfc_out"), f("attn_grad_q_scratch"), stream_,
                       variant<AttentionPoolBwdVariant>("attention_pool_bwd"));
  });
  run("cfc_step_backward_batched", "", [&] {
    const CfcGradients grad{
        f("grad_ln_b_out"),          f("cfc_grad_w_in_scratch"),
        f("cfc_grad_w_rec_scratch"), f("cfc_grad_b_scratch"),
        f("cfc_grad_tau_scratch"),   b_.scratch("cfc_grad_gates", elements(rows, 3, s_.hidden))};
    cfc_step_backward_batched(f("ln_b_out"), f("sampled_h_t"), cfc_parameters(), f("cfc_out"),
                              f("cfc_gates"), f("grad_cfc_out"), n, s_.window, s_.width, s_.hidden,
                              grad, stream_,
                              variant<CfcBackwardVariant>("cfc_step_backward_batched"));
  });
  backward_layer_norm("b", "mamba2_out", "grad_ln_b_out", "grad_mamba2_out");
  run("mamba2_block_bwd", "", [&] {
    const Mamba2Shape m = s_.mamba(n);
    mamba2_block_bwd(
        f("ln_a_out"), mamba_parameters(), m, mamba_activations("", rows), f("grad_mamba2_out"),
        {f("grad_ln_a_out"), g("mamba2_in_proj"), g("mamba2_conv_w"), g("mamba2_conv_b"),
         g("mamba2_dt_bias"), g("mamba2_a_log"), g("mamba2_d"), g("mamba2_out_proj"),
         b_.scratch("mamba2_grad_gated", elements(rows, m.inner)),
         b_.scratch("mamba2_grad_convolved", elements(rows, m.channels())),
         b_.scratch("mamba2_grad_projected", elements(rows, m.projected())),
         b_.scratch("mamba2_item_scratch", elements(n, m.item_scratch()))},
        stream_);
  });
  backward_layer_norm("a", "vsn_out", "grad_ln_a_out", "grad_vsn_out");
  run("variable_selection_bwd", "", [&] {
    variable_selection_bwd(f("sampled_window"), p("vsn_w"), p("vsn_b"), f("grad_vsn_out"), n,
                           s_.window, s_.features, s_.width, f("vsn_grad_w_scratch"),
                           f("vsn_grad_b_scratch"), stream_,
                           variant<VariableSelectionBwdVariant>("variable_selection_bwd"));
  });
  reduce("attn_grad_q_scratch", "attn_q");
  reduce("cfc_grad_w_in_scratch", "cfc_w_in");
  reduce("cfc_grad_w_rec_scratch", "cfc_w_rec");
  reduce("cfc_grad_b_scratch", "cfc_b");
  reduce("cfc_grad_tau_scratch", "cfc_tau");
  for (const std::string site : {"b", "a"}) {
    const std::string name = "ln_" + site;
    const auto chosen = variant<LayerNormReduceVariant>("layer_norm_reduce_param_grads");
    run("layer_norm_reduce_param_grads", site, [&] {
      layer_norm_reduce_param_grads(
          f("grad_" + name + "_gain_per_row"), f("grad_" + name + "_bias_per_row"), rows, s_.width,
          g(name + "_gain"), g(name + "_bias"),
          b_.scratch("reduce " + name,
                     layer_norm_reduce_workspace(s_.width, chosen) / sizeof(float) + 1),
          stream_, chosen);
    });
  }
  reduce("vsn_grad_w_scratch", "vsn_w");
  reduce("vsn_grad_b_scratch", "vsn_b");
}

void IntegratedTrainer::update_parameters() {
  const int count = b_.size("params");
  run("global_norm_reduce", "", [&] {
    global_norm_reduce(
        b_.grads(), count, options_.max_grad_norm, f("grad_global_norm"),
        b_.scratch("norm_workspace", global_norm_workspace(count) / sizeof(float) + 1), stream_,
        variant<GlobalNormVariant>("global_norm_reduce"));
  });
  run("adam_step", "", [&] {
    AdamOptions options;
    options.learning_rate = host_scalar(kLearningRate);
    adam_step(f("params"), f("adam_m"), f("adam_v"), b_.grads(), count, f("grad_clip_scale"),
              static_cast<AdamState*>(b_.place("adam_state").data), options, stream_,
              variant<AdamVariant>("adam_step"));
  });
  run("target_update", "",
      [&] { target_update(f("params"), f("target_params"), count, options_.target_tau, stream_); });
}

}  // namespace foxhunt
