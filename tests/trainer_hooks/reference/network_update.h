// SPDX-License-Identifier: MIT
#pragma once

#include "tests/trainer_hooks/reference/network_oracle.h"
#include "trainer_hooks/reference/integrated_trainer.h"

namespace foxhunt::test {

// One of the trainer's updates as it stood before its parameters changed.
struct NetworkUpdate {
  NetworkSample sample;        // with all other buffers too
  Tensors<double> parameters;  // exactly
  Tensors<float> gradients;
  Tensors<float> loss_rows;  // as in NetworkOutputs
  TrainerProgress progress;  // of the step that it belongs to
};

// The last update of `steps` steps of a tiny trainer.
NetworkUpdate update_after(int steps);

}  // namespace foxhunt::test
