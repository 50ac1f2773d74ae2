// SPDX-License-Identifier: MIT
#include "kernels/heads/linear_head.h"
#include "kernels/heads/pi_head.h"
#include "kernels/heads/softmax_row.h"

namespace foxhunt {
namespace heads {

struct PiHead;

// One thread a row.
__global__ void policy_loss(PolicyInputs in, int batch, int actions, PolicyLoss loss,
                            float* loss_rows, float* grad_logits) {
  const int b = thread_number();
  if (b >= batch) return;
  const float* logits = in.logits + b * actions;
  const SoftmaxRow softmax = softmax_of(logits, actions);
  const int taken = in.actions[b];
  const float advantage = in.advantage[b];
  const float ratio =
      math::exp(math::add(softmax.log_probability(logits[taken]), -in.log_pi_old[b]));
  const float low = math::add(1.0f, -loss.clip), high = math::add(1.0f, loss.clip);
  const float clamped = ratio < low ? low : ratio > high ? high : ratio;
  const float free = math::mul(ratio, advantage), clipped = math::mul(clamped, advantage);
  const bool flows = free <= clipped;  // the free one is the smaller, or they are one

  float entropy = 0.0f;
  if (loss.entropy_weight > 0.0f) {
    for (int a = 0; a < actions; ++a) {
      entropy =
          math::fma(-softmax.probability(logits[a]), softmax.log_probability(logits[a]), entropy);
    }
  }
  loss_rows[b] = math::fma(-loss.entropy_weight, entropy, -(flows ? free : clipped));

  const float count = static_cast<float>(batch);
  for (int a = 0; a < actions; ++a) {
    const float p = softmax.probability(logits[a]);
    float gradient = 0.0f;
    if (flows) gradient = math::mul(-free, math::add(a == taken ? 1.0f : 0.0f, -p));
    if (loss.entropy_weight > 0.0f) {
      const float slope = math::mul(p, math::add(softmax.log_probability(logits[a]), entropy));
      gradient = math::fma(loss.entropy_weight, slope, gradient);
    }
    grad_logits[b * actions + a] = math::div(gradient, count);
  }
}

}  // namespace heads

void pi_head_fwd(const float* h, const float* w, const float* b, int batch, int hidden, int actions,
                 float* logits, cudaStream_t stream) {
  heads::launch_linear_forward<heads::PiHead>(h, w, b, batch, hidden, actions, logits, stream);
}

void pi_head_bwd(const PolicyInputs& in, const float* w, int batch, int hidden, int actions,
                 PolicyLoss loss, float* loss_rows, float* grad_logits, float* grad_h,
                 cudaStream_t stream) {
  if (batch == 0) return;
  launch(heads::policy_loss, heads::blocks_for(batch), heads::kThreads, 0, stream, in, batch,
         actions, loss, loss_rows, grad_logits);
  heads::launch_linear_backward_input<heads::PiHead>(grad_logits, w, batch, hidden, actions, grad_h,
                                                     stream);
}

void pi_head_bwd_weights(const float* h, const float* grad_logits, int batch, int hidden,
                         int actions, float* grad_w, float* grad_b, cudaStream_t stream) {
  heads::launch_linear_backward_weights<heads::PiHead>(h, grad_logits, batch, hidden, actions,
                                                       grad_w, grad_b, stream);
}

}  // namespace foxhunt
