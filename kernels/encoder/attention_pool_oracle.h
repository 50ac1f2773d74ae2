// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/math/rounded.h"

namespace foxhunt::oracle {

// attention_pool.h in sequential code; Real is double or Rounded.
template <class Real>
std::vector<Real> attention_pool_fwd(const std::vector<Real>& x, const std::vector<Real>& q,
                                     int batch, int window, int hidden);

template <class Real>
struct AttentionPoolGradients {
  std::vector<Real> x;  // [B,T,H]
  std::vector<Real> q;  // [B,H]
};

template <class Real>
AttentionPoolGradients<Real> attention_pool_bwd(const std::vector<Real>& x,
                                                const std::vector<Real>& q,
                                                const std::vector<Real>& grad_out, int batch,
                                                int window, int hidden);

}  // namespace foxhunt::oracle
