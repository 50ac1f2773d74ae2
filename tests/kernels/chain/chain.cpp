// SPDX-License-Identifier: MIT
#include "tests/kernels/chain/chain.h"

#include "kernels/encoder/attention_pool.h"
#include "kernels/encoder/cfc_step.h"
#include "kernels/encoder/layer_norm.h"
#include "kernels/encoder/mamba2_block.h"
#include "kernels/encoder/variable_selection.h"
#include "kernels/gemm/gemm.h"
#include "kernels/heads/act_sample.h"
#include "kernels/heads/bellman_target.h"
#include "kernels/heads/dqn_grad.h"
#include "kernels/heads/dqn_head.h"
#include "kernels/heads/dueling_compose.h"
#include "kernels/heads/iqn.h"
#include "kernels/heads/iqn_grad.h"
#include "kernels/heads/label_heads.h"
#include "kernels/heads/mean_of_rows.h"
#include "kernels/heads/noisy_linear.h"
#include "kernels/heads/pi_head.h"
#include "kernels/heads/v_head.h"
#include "kernels/reduce/global_norm_reduce.h"
#include "kernels/reduce/layer_norm_reduce_param_grads.h"
#include "kernels/reduce/reduce_axis0.h"
#include "kernels/replay/outcome_label_upload.h"
#include "kernels/replay/rl_per_push_flush.h"
#include "kernels/replay/rl_per_push_ring.h"
#include "kernels/replay/rl_per_sample.h"
#include "kernels/replay/rl_per_tree_rebuild.h"
#include "kernels/replay/rl_per_update_priorities.h"
#include "kernels/update/adam_step.h"
#include "kernels/update/grad_h_accumulate_scaled.h"
#include "kernels/update/target_update.h"
#include "tests/kernels/chain/chain_buffers.h"
#include "tests/kernels/chain/parameters.h"

namespace foxhunt::test {
namespace {

constexpr int kSteps = 3;
constexpr std::uint64_t kSeed = 20;
constexpr float kDiscount = 0.97f;
constexpr ValueSupport kSupport{-2.0f, 2.0f, ChainSizes{}.atoms};

class Chain {
 public:
  Chain() {
    EXPECT_EQ(cudaStreamCreate(&stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamCreate(&other_), cudaSuccess);
    EXPECT_EQ(cudaMallocHost(&host_lambda_, sizeof(float) * kGradHHeads), cudaSuccess);
    for (int i = 0; i < kGradHHeads; ++i) host_lambda_[i] = 1.0f / static_cast<float>(i + 1);
    const int count = static_cast<int>(parameters_.size());
    for (const char* network : {"params", "target_params"}) {
      b_.out(network, count);
      b_.fill(network, count, 0, -0.4f, 0.4f);
    }
    for (const char* moment : {"adam_m", "adam_v"}) {
      b_.out(moment, count);
      b_.fill(moment, count, 0, 0.0f, 0.0f);
    }
    b_.out("grads", count);
    b_.fill("grads", count, 0, 0.0f, 0.0f);
    b_.out("replay_priorities", s_.capacity + 1);
    std::vector<float> priorities(static_cast<std::size_t>(s_.capacity) + 1);
    priorities.back() = 1.0f;  // the largest so far
    b_.fill("replay_priorities", priorities);
    b_.out_ints("ring_head", 1);
    b_.fill("ring_head", std::vector<int>{s_.capacity - 4});  // so that the ring wraps
    b_.fill("adam_state", std::vector<int>(3));
    make_ring();
    b_.out("act_h_tp1", s_.envs * s_.hidden);
    b_.fill("act_h_tp1", s_.envs * s_.hidden, 0, -0.5f, 0.5f);
    b_.carry();
  }
  ~Chain() {
    cudaFreeHost(host_lambda_);
    cudaStreamDestroy(other_);
    cudaStreamDestroy(stream_);
  }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  std::vector<ChainOutput> run() {
    std::vector<ChainOutput> outputs;
    for (step_ = 0; step_ < kSteps; ++step_) {
      set_rng_counters();
      act();
      push();
      sample();
      const float* const h = encode("", s_.batch, sampled_.window, sampled_.h_t);
      forward(h);
      targets();
      backward_heads(h);
      backward_encoder();
      update();
      EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      EXPECT_EQ(cudaGetLastError(), cudaSuccess);
      b_.append_outputs(std::to_string(step_) + " ", outputs);
    }
    return outputs;
  }

 private:
  int times_hidden(int rows) const { return rows * s_.hidden; }
  const float* p(const char* name) {
    return b_.scratch("params", static_cast<int>(parameters_.size())) + parameters_.offset(name);
  }
  const float* target_p(const char* name) {
    return b_.scratch("target_params", static_cast<int>(parameters_.size())) +
           parameters_.offset(name);
  }
  float* g(const char* name) {
    return b_.scratch("grads", static_cast<int>(parameters_.size())) + parameters_.offset(name);
  }

  void set_rng_counters() {
    rng_.write({kSeed, static_cast<std::uint64_t>(step_)});
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }

  void make_ring() {
    const int n = s_.capacity;
    ring_ = {b_.out("replay_h_t", times_hidden(n)),
             b_.out("replay_h_tp1", times_hidden(n)),
             b_.out("replay_window", n * s_.window * s_.features),
             b_.out_ints("replay_actions", n),
             b_.out("replay_rewards", n),
             b_.out("replay_dones", n),
             b_.out("replay_log_pi_old", n)};
    for (const char* name : {"replay_h_t", "replay_h_tp1"}) {
      b_.fill(name, times_hidden(n), 0, 0.0f, 0.0f);
    }
    b_.fill("replay_window", n * s_.window * s_.features, 0, 0.0f, 0.0f);
    b_.fill("replay_actions", std::vector<int>(static_cast<std::size_t>(n)));
    for (const char* name : {"replay_rewards", "replay_dones", "replay_log_pi_old"}) {
      b_.fill(name, n, 0, 0.0f, 0.0f);
    }
  }

  // The encoder's buffers, under `prefix`; returns the h that heads read.
  const float* encode(const std::string& prefix, int batch, const float* window, const float* h_t) {
    const auto rows = batch * s_.window;
    const auto named = [&](const char* name, int per_row) {
      return b_.out(prefix + name, rows * per_row);
    };
    float* const vsn_out = named("vsn_out", s_.width);
    variable_selection_fwd(window, p("vsn_w"), p("vsn_b"), batch, s_.window, s_.features, s_.width,
                           vsn_out, stream_);
    float* const ln_a_out = named("ln_a_out", s_.width);
    layer_norm_fwd(vsn_out, p("ln_a_gain"), p("ln_a_bias"), rows, s_.width, 1e-5f, ln_a_out,
                   named("ln_a_mean", 1), named("ln_a_rstd", 1), stream_);
    float* const mamba2_out = named("mamba2_out", s_.width);
    mamba2_block_fwd(ln_a_out, mamba_parameters(), s_.mamba(batch), mamba_activations(prefix, rows),
                     mamba2_out, stream_);
    float* const ln_b_out = named("ln_b_out", s_.width);
    layer_norm_fwd(mamba2_out, p("ln_b_gain"), p("ln_b_bias"), rows, s_.width, 1e-5f, ln_b_out,
                   named("ln_b_mean", 1), named("ln_b_rstd", 1), stream_);
    float* const cfc_out = named("cfc_out", s_.hidden);
    cfc_step_forward_batched(ln_b_out, h_t, cfc_parameters(), batch, s_.window, s_.width, s_.hidden,
                             cfc_out, named("cfc_gates", 3 * s_.hidden), stream_);
    float* const pooled = b_.out(prefix + "attn_pool_out", times_hidden(batch));
    attention_pool_fwd(cfc_out, p("attn_q"), batch, s_.window, s_.hidden, pooled, stream_);
    return pooled;
  }
  Mamba2Parameters mamba_parameters() {
    return {p("mamba2_in_proj"), p("mamba2_conv_w"), p("mamba2_conv_b"),  p("mamba2_dt_bias"),
            p("mamba2_a_log"),   p("mamba2_d"),      p("mamba2_out_proj")};
  }
  Mamba2Activations mamba_activations(const std::string& prefix, int rows) {
    const Mamba2Shape m = s_.mamba(1);
    return {b_.out(prefix + "mamba2_projected", rows * m.projected()),
            b_.out(prefix + "mamba2_convolved", rows * m.channels()),
            b_.out(prefix + "mamba2_scanned", rows * m.inner),
            b_.out(prefix + "mamba2_gated", rows * m.inner)};
  }
  CfcParameters cfc_parameters() {
    return {p("cfc_w_in"), p("cfc_w_rec"), p("cfc_b"), p("cfc_tau")};
  }

  void act() {
    const int n = s_.envs;
    float* const h_t = b_.out("act_h_t", times_hidden(n));
    float* const h_tp1 = b_.scratch("act_h_tp1", times_hidden(n));
    cudaMemcpyAsync(h_t, h_tp1, sizeof(float) * static_cast<std::size_t>(times_hidden(n)),
                    cudaMemcpyDeviceToDevice, stream_);
    const float* const window =
        b_.fill("act_window", n * s_.window * s_.features, at_step(), -1.5f, 1.5f);
    const float* const h = encode("act_", n, window, h_t);
    cudaMemcpyAsync(h_tp1, h, sizeof(float) * static_cast<std::size_t>(times_hidden(n)),
                    cudaMemcpyDeviceToDevice, stream_);
    float* const logits = b_.out("act_pi_logits", n * s_.actions);
    pi_head_fwd(h, p("pi_w"), p("pi_b"), n, s_.hidden, s_.actions, logits, stream_);
    act_sample(logits, rng_.get(), n, s_.actions, b_.out_ints("act_action", n),
               b_.out("act_log_pi", n), stream_);
  }

  void push() {
    const int n = s_.envs, width = s_.window * s_.features;
    const ConstReplayRows transitions{b_.scratch("act_h_t", times_hidden(n)),
                                      b_.scratch("act_h_tp1", times_hidden(n)),
                                      b_.scratch("act_window", n * width),
                                      b_.ints("act_action", n),
                                      b_.fill("act_reward", n, at_step(), -1.0f, 1.0f),
                                      b_.fill("act_done", dones()),
                                      b_.scratch("act_log_pi", n)};
    int* const head = b_.ints("ring_head", 1);
    float* const staging = b_.out("push_staging", n * staging_width(shape()));
    rl_per_push_ring(transitions, n, shape(), s_.capacity, staging, head, stream_);
    rl_per_push_flush(staging, n, shape(), ring_, stream_, other_);
    rl_per_update_priorities(b_.out_ints("sampled_index", s_.batch), b_.out("td_error", s_.batch),
                             step_ == 0 ? 0 : s_.batch, head, n, s_.capacity, {0.6f, 0.01f},
                             b_.scratch("replay_priorities", s_.capacity + 1), stream_);
  }
  std::vector<float> dones() const {
    std::vector<float> values;
    for (int i = 0; i < s_.envs; ++i) values.push_back((i + step_) % 3 == 0 ? 1.0f : 0.0f);
    return values;
  }
  ReplayShape shape() const { return {s_.hidden, s_.window * s_.features}; }

  void sample() {
    const int n = s_.batch;
    float* const tree = b_.out("per_tree", 2 * s_.capacity);
    rl_per_tree_rebuild(b_.scratch("replay_priorities", s_.capacity + 1), s_.capacity, tree,
                        stream_);
    sampled_ = {b_.out("sampled_h_t", times_hidden(n)),
                b_.out("sampled_h_tp1", times_hidden(n)),
                b_.out("sampled_window", n * s_.window * s_.features),
                b_.out_ints("sampled_actions", n),
                b_.out("sampled_rewards", n),
                b_.out("sampled_dones", n),
                b_.out("sampled_log_pi_old", n)};
    rl_per_sample(tree, s_.capacity, {kSeed, at_step(), 0.4f, s_.envs * (step_ + 1)}, n,
                  read_only(ring_), shape(), b_.ints("sampled_index", n),
                  b_.out("sampled_is_weight", n), sampled_, nullptr, stream_);
  }

  void forward(const float* h) {
    const int n = s_.batch, logits = n * s_.actions * s_.atoms;
    float* const eps = b_.out("noisy_eps", 2 * s_.hidden);
    rl_noisy_reset_noise(rng_.get(), 2 * s_.hidden, eps, stream_);
    float* const hidden = b_.out("noisy_hidden", times_hidden(n));
    rl_noisy_linear_forward(h, noisy_layer(), eps, n, hidden, stream_);
    float* const q_logits = b_.out("q_logits", logits);
    dqn_head_fwd(hidden, p("q_w"), p("q_b"), n, s_.hidden, s_.actions, s_.atoms, q_logits, stream_);
    pi_head_fwd(h, p("pi_w"), p("pi_b"), n, s_.hidden, s_.actions,
                b_.out("pi_logits", n * s_.actions), stream_);
    float* const v = b_.out("v_pred", n);
    v_head_fwd(h, p("v_w"), p("v_b"), n, s_.hidden, v, stream_);
    frd_head_fwd(h, p("frd_w"), p("frd_b"), n, s_.hidden, s_.frd_bins,
                 b_.out("frd_logits", n * s_.frd_bins), stream_);
    outcome_head_fwd(h, p("outcome_w"), p("outcome_b"), n, s_.hidden, s_.outcomes,
                     b_.out("outcome_logits", n * s_.outcomes), stream_);
    rl_iqn_forward(h, rng_.get(), iqn_weights(), iqn_shape(), iqn_activations(),
                   b_.out("iqn_q_values", n * s_.actions), stream_);
    dueling_compose(q_logits, v, n, s_.actions, kSupport,
                    b_.out("dueling_q_composed", n * s_.actions), stream_);
  }
  NoisyLinear noisy_layer() {
    return {p("noisy_w_mu"),    p("noisy_w_sigma"), p("noisy_b_mu"),
            p("noisy_b_sigma"), s_.hidden,          s_.hidden};
  }
  IqnShape iqn_shape() const {
    return {s_.batch, s_.hidden, s_.actions, s_.quantiles, s_.quantiles};
  }
  IqnWeights iqn_weights() { return {p("iqn_tau_w"), p("iqn_tau_b"), p("iqn_w"), p("iqn_b")}; }
  IqnActivations iqn_activations() {
    const int n = s_.batch * s_.quantiles;
    return {b_.out("iqn_taus", n), b_.out("iqn_cosines", n * s_.quantiles),
            b_.out("iqn_embedding", times_hidden(n)), b_.out("iqn_quantiles", n * s_.actions),
            nullptr};
  }

  void targets() {
    const int n = s_.batch;
    const NoisyLinear layer{target_p("noisy_w_mu"),
                            target_p("noisy_w_sigma"),
                            target_p("noisy_b_mu"),
                            target_p("noisy_b_sigma"),
                            s_.hidden,
                            s_.hidden};
    float* const eps = b_.out("target_noisy_eps", 2 * s_.hidden);
    rl_noisy_reset_noise(rng_.get(), 2 * s_.hidden, eps, stream_, 0,
                         math::RngPurpose::target_noise);
    float* const hidden = b_.out("target_noisy_hidden", times_hidden(n));
    rl_noisy_linear_forward(sampled_.h_tp1, layer, eps, n, hidden, stream_);
    float* const logits = b_.out("target_q_logits", n * s_.actions * s_.atoms);
    dqn_head_fwd(hidden, target_p("q_w"), target_p("q_b"), n, s_.hidden, s_.actions, s_.atoms,
                 logits, stream_);
    float* const v = b_.out("target_v", n);
    v_head_fwd(sampled_.h_tp1, target_p("v_w"), target_p("v_b"), n, s_.hidden, v, stream_);
    bellman_target_projection(
        {logits, v, b_.scratch("v_pred", n), sampled_.rewards, sampled_.dones}, n, s_.actions,
        kSupport, kDiscount, b_.out("bellman_target", n * s_.atoms), b_.scratch("td_error", n),
        stream_);
  }

  void backward_heads(const float* h) {
    const int n = s_.batch;
    float* const target = b_.scratch("bellman_target", n * s_.atoms);
    float* const iqn_grad = b_.out("iqn_grad_hadamard", times_hidden(n));
    const IqnGradInputs iqn{h,        target, sampled_.actions, iqn_weights(), iqn_activations(),
                            kSupport, 1.0f};
    const IqnGradOutputs iqn_out{b_.out("iqn_loss_rows", n),
                                 b_.out("iqn_grad_quantile", n * s_.quantiles),
                                 b_.out("iqn_row_embedding", times_hidden(n)), iqn_grad};
    iqn_bwd_relu_hadamard(iqn, iqn_shape(), iqn_out, stream_);
    iqn_bwd_weights(iqn, iqn_shape(), iqn_out,
                    {b_.out("iqn_grad_embedding", times_hidden(n * s_.quantiles)), g("iqn_tau_w"),
                     g("iqn_tau_b"), g("iqn_w"), g("iqn_b")},
                    stream_);

    float* const eps = b_.scratch("noisy_eps", 2 * s_.hidden);
    float* const grad_hidden = b_.out("grad_noisy_hidden", times_hidden(n));
    float* const loss_rows = b_.out("q_loss_rows", n);
    float* const grad_q = b_.out("grad_h_t_q", times_hidden(n));
    dqn_grad_w_b_h_t(
        {b_.scratch("q_logits", n * s_.actions * s_.atoms), target,
         b_.scratch("sampled_is_weight", n), sampled_.actions,
         b_.scratch("noisy_hidden", times_hidden(n)), p("q_w"), noisy_layer(), eps, iqn_grad},
        n, s_.actions, s_.atoms,
        {loss_rows, b_.out("grad_q_taken", n * s_.atoms), grad_hidden, grad_q, g("q_w"), g("q_b")},
        stream_);
    mean_of_rows(loss_rows, n, b_.out("q_loss", 1), stream_);
    dqn_grad_noisy(h, grad_hidden, noisy_layer(), eps, n, g("noisy_w_mu"), g("noisy_w_sigma"),
                   g("noisy_b_mu"), g("noisy_b_sigma"), stream_);

    float* const grad_pi = b_.out("grad_h_t_pi", times_hidden(n));
    float* const pi_logits = b_.out("grad_pi_logits", n * s_.actions);
    pi_head_bwd({b_.scratch("pi_logits", n * s_.actions), sampled_.actions, sampled_.log_pi_old,
                 b_.scratch("td_error", n)},
                p("pi_w"), n, s_.hidden, s_.actions, {0.2f, 0.01f}, b_.out("pi_loss_rows", n),
                pi_logits, grad_pi, stream_);
    pi_head_bwd_weights(h, pi_logits, n, s_.hidden, s_.actions, g("pi_w"), g("pi_b"), stream_);

    float* const grad_v = b_.out("grad_h_t_v", times_hidden(n));
    float* const v = b_.out("grad_v", n);
    v_head_bwd(b_.scratch("v_pred", n), target, p("v_w"), n, s_.hidden, kSupport,
               b_.out("v_loss_rows", n), v, grad_v, stream_);
    v_head_bwd_weights(h, v, n, s_.hidden, g("v_w"), g("v_b"), stream_);

    std::vector<int> outcome_labels, frd_labels;
    for (int i = 0; i < n; ++i) {
      outcome_labels.push_back((i + step_) % s_.outcomes);
      frd_labels.push_back((2 * i + step_) % s_.frd_bins);
    }
    int* const outcome = b_.out_ints("outcome_labels", n);
    int* const frd = b_.out_ints("frd_labels", n);
    upload_outcome_.upload(outcome_labels.data(), n, outcome, stream_);
    upload_frd_.upload(frd_labels.data(), n, frd, stream_);

    float* const grad_frd = b_.out("grad_h_t_frd", times_hidden(n));
    float* const frd_logits = b_.out("grad_frd_logits", n * s_.frd_bins);
    frd_head_bwd(b_.scratch("frd_logits", n * s_.frd_bins), frd, p("frd_w"), n, s_.hidden,
                 s_.frd_bins, b_.out("frd_loss_rows", n), frd_logits, grad_frd, stream_);
    frd_head_bwd_weights(h, frd_logits, n, s_.hidden, s_.frd_bins, g("frd_w"), g("frd_b"), stream_);
    float* const grad_outcome = b_.out("grad_h_t_outcome", times_hidden(n));
    float* const outcome_logits = b_.out("grad_outcome_logits", n * s_.outcomes);
    outcome_head_bwd(b_.scratch("outcome_logits", n * s_.outcomes), outcome, p("outcome_w"), n,
                     s_.hidden, s_.outcomes, b_.out("outcome_loss_rows", n), outcome_logits,
                     grad_outcome, stream_);
    outcome_head_bwd_weights(h, outcome_logits, n, s_.hidden, s_.outcomes, g("outcome_w"),
                             g("outcome_b"), stream_);

    grad_h_accumulate_scaled({{grad_q, grad_pi, grad_v, grad_frd, grad_outcome}}, times_hidden(n),
                             host_lambda_, b_.scratch("lambda", kGradHHeads),
                             b_.out("grad_h_t_combined", times_hidden(n)), stream_, other_);
  }

  void reduce(const float* scratch, int cols, const char* parameter) {
    reduce_axis0(scratch, s_.batch, cols, g(parameter), nullptr, stream_);
  }

  void backward_layer_norm(const std::string& name, const float* x, const float* grad_out,
                           float* grad_x) {
    const int rows = s_.batch * s_.window;
    float* const gain = b_.out("grad_" + name + "_gain_per_row", rows * s_.width);
    float* const bias = b_.out("grad_" + name + "_bias_per_row", rows * s_.width);
    layer_norm_bwd(grad_out, x, p((name + "_gain").c_str()), b_.scratch(name + "_mean", rows),
                   b_.scratch(name + "_rstd", rows), rows, s_.width, grad_x, gain, bias, stream_);
    layer_norm_reduce_param_grads(gain, bias, rows, s_.width, g((name + "_gain").c_str()),
                                  g((name + "_bias").c_str()), nullptr, stream_);
  }

  void backward_encoder() {
    const int n = s_.batch, rows = n * s_.window, gates = 3 * s_.hidden;
    float* const cfc_out = b_.scratch("cfc_out", times_hidden(rows));
    float* const grad_cfc_out = b_.out("grad_cfc_out", times_hidden(rows));
    float* const grad_q = b_.out("attn_grad_q_scratch", times_hidden(n));
    attention_pool_bwd(cfc_out, p("attn_q"), b_.scratch("grad_h_t_combined", times_hidden(n)), n,
                       s_.window, s_.hidden, grad_cfc_out, grad_q, stream_);
    reduce(grad_q, s_.hidden, "attn_q");

    const CfcGradients cfc{b_.out("grad_ln_b_out", rows * s_.width),
                           b_.out("cfc_grad_w_in_scratch", n * s_.width * gates),
                           b_.out("cfc_grad_w_rec_scratch", times_hidden(n) * gates),
                           b_.out("cfc_grad_b_scratch", n * gates),
                           b_.out("cfc_grad_tau_scratch", times_hidden(n)),
                           b_.out("cfc_grad_gates", rows * gates)};
    cfc_step_backward_batched(b_.scratch("ln_b_out", rows * s_.width), sampled_.h_t,
                              cfc_parameters(), cfc_out, b_.scratch("cfc_gates", rows * gates),
                              grad_cfc_out, n, s_.window, s_.width, s_.hidden, cfc, stream_);
    reduce(cfc.w_in_scratch, s_.width * gates, "cfc_w_in");
    reduce(cfc.w_rec_scratch, s_.hidden * gates, "cfc_w_rec");
    reduce(cfc.b_scratch, gates, "cfc_b");
    reduce(cfc.tau_scratch, s_.hidden, "cfc_tau");

    float* const grad_mamba2_out = b_.out("grad_mamba2_out", rows * s_.width);
    backward_layer_norm("ln_b", b_.scratch("mamba2_out", rows * s_.width), cfc.x, grad_mamba2_out);

    const Mamba2Shape m = s_.mamba(n);
    float* const grad_ln_a_out = b_.out("grad_ln_a_out", rows * s_.width);
    mamba2_block_bwd(b_.scratch("ln_a_out", rows * s_.width), mamba_parameters(), m,
                     mamba_activations("", rows), grad_mamba2_out,
                     {grad_ln_a_out, g("mamba2_in_proj"), g("mamba2_conv_w"), g("mamba2_conv_b"),
                      g("mamba2_dt_bias"), g("mamba2_a_log"), g("mamba2_d"), g("mamba2_out_proj"),
                      b_.out("mamba2_grad_gated", rows * m.inner),
                      b_.out("mamba2_grad_convolved", rows * m.channels()),
                      b_.out("mamba2_grad_projected", rows * m.projected()),
                      b_.out("mamba2_item_scratch", n * m.item_scratch())},
                     stream_);

    float* const grad_vsn_out = b_.out("grad_vsn_out", rows * s_.width);
    backward_layer_norm("ln_a", b_.scratch("vsn_out", rows * s_.width), grad_ln_a_out,
                        grad_vsn_out);

    const int w = s_.features * (s_.features + 2 * s_.width), b = s_.features * (1 + 2 * s_.width);
    float* const w_scratch = b_.out("vsn_grad_w_scratch", n * w);
    float* const b_scratch = b_.out("vsn_grad_b_scratch", n * b);
    variable_selection_bwd(sampled_.window, p("vsn_w"), p("vsn_b"), grad_vsn_out, n, s_.window,
                           s_.features, s_.width, w_scratch, b_scratch, stream_);
    reduce(w_scratch, w, "vsn_w");
    reduce(b_scratch, b, "vsn_b");
  }

  void update() {
    const int count = static_cast<int>(parameters_.size());
    float* const norm = b_.out("grad_global_norm", 2);
    float* const grads = b_.scratch("grads", count);
    const auto workspace = static_cast<int>(global_norm_workspace(count) / sizeof(float));
    global_norm_reduce(grads, count, 0.5f, norm, b_.scratch("norm_workspace", workspace), stream_);
    static_assert(sizeof(AdamState) == 3 * sizeof(int));
    float* const params = b_.scratch("params", count);
    adam_step(params, b_.scratch("adam_m", count), b_.scratch("adam_v", count), grads, count,
              norm + 1, reinterpret_cast<AdamState*>(b_.ints("adam_state", 3)), {}, stream_);
    target_update(params, b_.scratch("target_params", count), count, 0.05f, stream_);
  }

  std::uint64_t at_step() const { return static_cast<std::uint64_t>(step_); }

  const ChainSizes s_;
  const ChainParameters parameters_{s_};
  ChainBuffers b_;
  DeviceArray<std::uint64_t> rng_{2};
  OutcomeLabelUpload upload_outcome_{ChainSizes{}.batch}, upload_frd_{ChainSizes{}.batch};
  cudaStream_t stream_ = nullptr, other_ = nullptr;
  float* host_lambda_ = nullptr;
  ReplayRows ring_{}, sampled_{};
  int step_ = 0;
};

}  // namespace

std::vector<ChainOutput> run_chain() {
  use_own_gemm(true);
  std::vector<ChainOutput> outputs = Chain().run();
  use_own_gemm(false);
  return outputs;
}

}  // namespace foxhunt::test
