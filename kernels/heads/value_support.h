// SPDX-License-Identifier: MIT
#pragma once

namespace foxhunt {

// The values that a categorical return distribution may take (C51: Bellemare, Dabney and Munos, "A
// Distributional Perspective on Reinforcement Learning", ICML 2017): `atoms` of them, evenly spaced
// from v_min to v_max, both included. atoms >= 2, v_min < v_max.
struct ValueSupport {
  float v_min, v_max;
  int atoms;
};

}  // namespace foxhunt
