// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt {

class TrainerBuffers;

// One of the profile's launches, as the trainer makes it.
struct TrainerLaunch {
  int index;            // in Profile::launches
  cudaStream_t stream;  // on which its outputs are ready
  TrainerBuffers& buffers;
};

// Told of each of the trainer's launches (copies, views and what the host computes are among them)
// right before and right after it is queued.
class LaunchListener {
 public:
  virtual ~LaunchListener() = default;
  virtual void before(const TrainerLaunch&) {}
  virtual void after(const TrainerLaunch&) {}
};

}  // namespace foxhunt
