// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

namespace foxhunt::test {

// EXPECTs |values[i] - oracle[i]| <= c * u * terms[i] with u = 2^-24, half a unit in a float's last
// place: what at most c roundings of partial results can add up to, none larger than the sum of the
// magnitudes of all `terms` that go into the element. Anything else, NaN included, fails, and so
// does comparing nothing.
void expect_near_oracle(const std::vector<float>& values, const std::vector<double>& oracle,
                        const std::vector<double>& terms, double c);

// The derivative of f at `input` in each direction, by central differences in double.
std::vector<double> central_differences(const std::function<double(const std::vector<double>&)>& f,
                                        const std::vector<double>& input, double step = 1e-5);

// EXPECTs two gradients in double to agree to `tolerance` of the largest element's magnitude.
void expect_same_gradient(const std::vector<double>& gradient,
                          const std::vector<double>& differences, double tolerance = 1e-7);

}  // namespace foxhunt::test
