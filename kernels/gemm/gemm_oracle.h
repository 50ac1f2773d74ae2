// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/math/rounded.h"

namespace foxhunt::oracle {

// op(X) of an operand that lies row-major without gaps: [rows, cols], or if transposed the
// transpose of a [cols, rows] one.
template <class Real>
struct Operand {
  const Real* data;
  bool transposed = false;
};

// alpha * op(A)[m,k] * op(B)[k,n] + beta * C + bias, row-major [m,n]: what gemm() should give,
// element by element, products in index order. `c` and `bias` may be null (then 0). Real is double
// or Rounded.
template <class Real>
std::vector<Real> gemm(int m, int n, int k, Operand<Real> a, Operand<Real> b, double alpha = 1.0,
                       double beta = 0.0, const Real* c = nullptr, const Real* bias = nullptr);

extern template std::vector<double> gemm(int, int, int, Operand<double>, Operand<double>, double,
                                         double, const double*, const double*);
extern template std::vector<Rounded> gemm(int, int, int, Operand<Rounded>, Operand<Rounded>, double,
                                          double, const Rounded*, const Rounded*);

}  // namespace foxhunt::oracle
