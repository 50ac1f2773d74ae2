// SPDX-License-Identifier: MIT
#include "kernels/heads/cross_entropy.h"
#include "kernels/heads/label_heads.h"
#include "kernels/heads/linear_head.h"

namespace foxhunt {
namespace heads {

struct FrdHead;
struct OutcomeHead;

template <class Head>
void launch_backward(const float* logits, const int* labels, const float* w, int batch, int hidden,
                     int classes, float* loss_rows, float* grad_logits, float* grad_h,
                     cudaStream_t stream) {
  launch_cross_entropy<Head>(logits, labels, batch, classes, loss_rows, grad_logits, stream);
  launch_linear_backward_input<Head>(grad_logits, w, batch, hidden, classes, grad_h, stream);
}

}  // namespace heads

void frd_head_fwd(const float* h, const float* w, const float* b, int batch, int hidden,
                  int classes, float* logits, cudaStream_t stream) {
  heads::launch_linear_forward<heads::FrdHead>(h, w, b, batch, hidden, classes, logits, stream);
}
void outcome_head_fwd(const float* h, const float* w, const float* b, int batch, int hidden,
                      int classes, float* logits, cudaStream_t stream) {
  heads::launch_linear_forward<heads::OutcomeHead>(h, w, b, batch, hidden, classes, logits, stream);
}

void frd_head_bwd(const float* logits, const int* labels, const float* w, int batch, int hidden,
                  int classes, float* loss_rows, float* grad_logits, float* grad_h,
                  cudaStream_t stream) {
  heads::launch_backward<heads::FrdHead>(logits, labels, w, batch, hidden, classes, loss_rows,
                                         grad_logits, grad_h, stream);
}
void outcome_head_bwd(const float* logits, const int* labels, const float* w, int batch, int hidden,
                      int classes, float* loss_rows, float* grad_logits, float* grad_h,
                      cudaStream_t stream) {
  heads::launch_backward<heads::OutcomeHead>(logits, labels, w, batch, hidden, classes, loss_rows,
                                             grad_logits, grad_h, stream);
}

void frd_head_bwd_weights(const float* h, const float* grad_logits, int batch, int hidden,
                          int classes, float* grad_w, float* grad_b, cudaStream_t stream) {
  heads::launch_linear_backward_weights<heads::FrdHead>(h, grad_logits, batch, hidden, classes,
                                                        grad_w, grad_b, stream);
}
void outcome_head_bwd_weights(const float* h, const float* grad_logits, int batch, int hidden,
                              int classes, float* grad_w, float* grad_b, cudaStream_t stream) {
  heads::launch_linear_backward_weights<heads::OutcomeHead>(h, grad_logits, batch, hidden, classes,
                                                            grad_w, grad_b, stream);
}

}  // namespace foxhunt
