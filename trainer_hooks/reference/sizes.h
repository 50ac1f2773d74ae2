// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "dump/format/profile.h"
#include "kernels/encoder/mamba2_block.h"

namespace foxhunt {

// How large the reference trainer is. The defaults are those of foxhunt-train.
struct TrainerSizes {
  int envs = 8;         // environments that act side by side
  int batch = 64;       // B, replayed transitions an update
  int window = 16;      // T, days that an agent sees
  int features = 8;     // F
  int width = 32;       // D, of the encoder's trunk
  int hidden = 64;      // H
  int actions = 3;      // A
  int atoms = 21;       // Z, of a return distribution
  int quantiles = 8;    // N, fractions that IQN draws, and cosines of each
  int outcomes = 3;     // C, classes of the forward return
  int frd_bins = 8;     // bins of the forward-return distribution
  int capacity = 1024;  // slots of the replay ring, a power of two
  int state = 8;        // of the Mamba-2 block

  Mamba2Shape mamba(int rows) const;
  // What the profile's symbols stand for.
  std::map<std::string, std::uint64_t> symbols() const;
};

// Scalars that the host sets anew for each update, in the order of the buffer `host_scalars`.
enum HostScalar : int {
  kLambdaQ,  // weights of the heads' gradients, in the order of grad_h_accumulate_scaled
  kLambdaPi,
  kLambdaV,
  kLambdaFrd,
  kLambdaOutcome,
  kLearningRate,
  kBeta,    // exponent of the importance weights
  kFilled,  // slots of the ring that hold a transition
  kUpdate,  // updates before this one
  kHostScalars,
};

// The built-in profile with every symbol bound: what this trainer computes, and how large it is.
// Throws Error bad_argument for sizes that the kernels do not take.
Profile trainer_profile(const TrainerSizes& sizes);

}  // namespace foxhunt
