// SPDX-License-Identifier: MIT
#pragma once

namespace foxhunt::test {

// out[i] = 1 for i from -before to size - 1 + after: the ends lie outside.
void fill_with_ones(float* out, int size, int before, int after);

// Four blocks add one value each to out[0] with a float atomic.
void add_by_atomics(const float* in, float* out);

}  // namespace foxhunt::test
