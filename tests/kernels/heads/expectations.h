// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/heads/conditioned.h"
#include "kernels/heads/linear_head_oracle.h"

namespace foxhunt::heads_test {

// Expects |actual - expected| <= bound * u * terms for each element (near_oracle.h), and prints the
// largest quotient of the two sides, times the bound, where FOXHUNT_PRINT_DISTANCES is set.
//
// The bound counts roundings. A chain of k operations is off by at most k u terms, and k is small
// here. A sum of n terms is off by at most n u terms; its roundings mostly cancel, but where a
// large term comes first and the others share a sign they do not quite: 10.2 is the most seen in 40
// seeds, with 64 terms. A wrong, missing or doubled term is of the order of 1/(n u): thousands at
// least.
void expect_close(const std::string& name, const std::vector<float>& actual,
                  const std::vector<Conditioned>& expected, double bound = 16);

// The largest |actual - expected| / (u terms), 0 where both sides are equal.
double distance(const std::vector<float>& actual, const std::vector<Conditioned>& expected);

// Expects gradient[i] to be the slope of loss(parameters) in parameters[i], by central differences
// in double. The loss must be smooth around the parameters. Differences of step s are off by s^2
// times the third derivative and by rounding over s; both are below 1e-7 of the largest slope here.
void expect_slopes(const std::string& name,
                   const std::function<double(const std::vector<double>&)>& loss,
                   const std::vector<double>& parameters, const std::vector<double>& gradient);

// The same for a linear head's h, w and b, and for those gradients that its oracle gives. The head
// has h.size() / rows inputs and b.size() outputs; loss_of(outputs) is an oracle's LossRows.
template <class LossOf>
void expect_head_slopes(const std::vector<double>& h, const std::vector<double>& w,
                        const std::vector<double>& b, std::size_t rows, const LossOf& loss_of) {
  const auto loss = [&](const std::vector<double>& h_, const std::vector<double>& w_,
                        const std::vector<double>& b_) {
    return oracle::mean(loss_of(oracle::linear(h_, w_, b_, rows)).loss);
  };
  const auto top = loss_of(oracle::linear(h, w, b, rows));
  const auto grad = oracle::linear_backward(h, w, top.grad_logits, rows, b.size());
  expect_slopes(
      "h", [&](const auto& p) { return loss(p, w, b); }, h, grad.x);
  expect_slopes(
      "w", [&](const auto& p) { return loss(h, p, b); }, w, grad.w);
  expect_slopes(
      "b", [&](const auto& p) { return loss(h, w, p); }, b, grad.b);
}

}  // namespace foxhunt::heads_test
