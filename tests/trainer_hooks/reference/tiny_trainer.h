// SPDX-License-Identifier: MIT
#pragma once

#include "trainer_hooks/reference/integrated_trainer.h"

namespace foxhunt::test {

// Small and awkward: no kernel's tiles come out even.
inline TrainerOptions tiny_options(int k_loop = 1) {
  TrainerOptions options;
  options.sizes.envs = 3;
  options.sizes.batch = 6;
  options.sizes.window = 4;
  options.sizes.width = 16;
  options.sizes.hidden = 12;
  options.sizes.atoms = 11;
  options.sizes.quantiles = 4;
  options.sizes.frd_bins = 5;
  options.sizes.capacity = 32;
  options.k_loop = k_loop;
  return options;
}

inline const Market& index_prices() {
  static const Market market = load_market(FOXHUNT_DATA);
  return market;
}

// The final digest after `steps`.
inline Digest128 train(const TrainerOptions& options, int steps,
                       LaunchListener* listener = nullptr) {
  Dumper disarmed;
  IntegratedTrainer trainer(options, index_prices(), disarmed);
  if (listener != nullptr) trainer.add(*listener);
  for (int n = 0; n < steps; ++n) trainer.step();
  return trainer.state_digest();
}

}  // namespace foxhunt::test
