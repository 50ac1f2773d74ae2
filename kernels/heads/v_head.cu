// SPDX-License-Identifier: MIT
#include "kernels/heads/linear_head.h"
#include "kernels/heads/v_head.h"
#include "kernels/heads/value_atoms.h"

namespace foxhunt {
namespace heads {

struct VHead;

// One thread a row.
__global__ void value_loss(const float* v, const float* bellman_target, int batch,
                           ValueSupport support, float* loss_rows, float* grad_v) {
  const int b = thread_number();
  if (b >= batch) return;
  const float error = math::add(v[b], -Atoms(support).mean(bellman_target + b * support.atoms));
  loss_rows[b] = math::mul(0.5f, math::mul(error, error));
  grad_v[b] = math::div(error, static_cast<float>(batch));
}

}  // namespace heads

void v_head_fwd(const float* h, const float* w, const float* b, int batch, int hidden, float* v,
                cudaStream_t stream) {
  heads::launch_linear_forward<heads::VHead>(h, w, b, batch, hidden, 1, v, stream);
}

void v_head_bwd(const float* v, const float* bellman_target, const float* w, int batch, int hidden,
                ValueSupport support, float* loss_rows, float* grad_v, float* grad_h,
                cudaStream_t stream) {
  if (batch == 0) return;
  launch(heads::value_loss, heads::blocks_for(batch), heads::kThreads, 0, stream, v, bellman_target,
         batch, support, loss_rows, grad_v);
  heads::launch_linear_backward_input<heads::VHead>(grad_v, w, batch, hidden, 1, grad_h, stream);
}

void v_head_bwd_weights(const float* h, const float* grad_v, int batch, int hidden, float* grad_w,
                        float* grad_b, cudaStream_t stream) {
  heads::launch_linear_backward_weights<heads::VHead>(h, grad_v, batch, hidden, 1, grad_w, grad_b,
                                                      stream);
}

}  // namespace foxhunt
