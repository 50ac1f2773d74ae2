// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/simt/dialect.h"

namespace foxhunt {

// How wide a transition's rows are, in floats.
struct ReplayShape {
  int hidden;  // h_t and h_tp1
  int window;  // T * F
};

// Transitions as columns: row i of each array belongs to transition i. All in device memory, f32
// (actions: i32), row-major. Floats is float, or const float where the rows are read only.
template <class Float, class Int>
struct BasicReplayRows {
  Float* h_t;         // [n, hidden]
  Float* h_tp1;       // [n, hidden]
  Float* window;      // [n, window]
  Int* actions;       // [n]
  Float* rewards;     // [n]
  Float* dones;       // [n]
  Float* log_pi_old;  // [n]
};
using ReplayRows = BasicReplayRows<float, int>;
using ConstReplayRows = BasicReplayRows<const float, const int>;

inline ConstReplayRows read_only(const ReplayRows& rows) {
  return {rows.h_t,     rows.h_tp1, rows.window,    rows.actions,
          rows.rewards, rows.dones, rows.log_pi_old};
}

// A transition on its way into the ring, as one record of floats: first its slot, action, reward,
// done, log_pi and three zeros, then h_t, h_tp1 and the window. Slots and actions are exact,
// because both stay below 2^24.
inline constexpr int kStagingHeader = 8;
inline int staging_width(const ReplayShape& shape) {
  return kStagingHeader + 2 * shape.hidden + shape.window;
}

}  // namespace foxhunt
