// SPDX-License-Identifier: MIT
#include "kernels/heads/dqn_head.h"

namespace foxhunt {

void dqn_head_fwd(const float* noisy_hidden, const float* w, const float* b, int batch, int hidden,
                  int actions, int atoms, float* q_logits, cudaStream_t stream,
                  DqnHeadVariant variant) {
  const int columns = actions * atoms;
  gemm({.site = "dqn",
        .m = batch,
        .n = columns,
        .k = hidden,
        .a = {noisy_hidden, hidden},
        .b = {w, columns},
        .c = q_logits,
        .c_stride = columns,
        .bias = b},
       stream, variant);
}

}  // namespace foxhunt
