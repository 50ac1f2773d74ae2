// SPDX-License-Identifier: MIT
#include "kernels/gemm/gemm_oracle.h"

#include <cstddef>

namespace foxhunt::oracle {

template <class Real>
std::vector<Real> gemm(int m, int n, int k, Operand<Real> a, Operand<Real> b, double alpha,
                       double beta, const Real* c, const Real* bias) {
  const auto at = [](const Operand<Real>& x, int row, int col, int rows, int cols) {
    return x.transposed ? x.data[std::ptrdiff_t{col} * rows + row]
                        : x.data[std::ptrdiff_t{row} * cols + col];
  };
  std::vector<Real> out;
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      Real sum = 0.0;
      for (int p = 0; p < k; p++) sum += at(a, i, p, m, k) * at(b, p, j, k, n);
      Real v = Real(alpha) * sum;
      if (c != nullptr) v += Real(beta) * c[std::ptrdiff_t{i} * n + j];
      if (bias != nullptr) v += bias[j];
      out.push_back(v);
    }
  }
  return out;
}

template std::vector<double> gemm(int, int, int, Operand<double>, Operand<double>, double, double,
                                  const double*, const double*);
template std::vector<Rounded> gemm(int, int, int, Operand<Rounded>, Operand<Rounded>, double,
                                   double, const Rounded*, const Rounded*);

}  // namespace foxhunt::oracle
