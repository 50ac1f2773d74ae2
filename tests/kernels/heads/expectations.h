// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/heads/conditioned.h"

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

}  // namespace foxhunt::heads_test
