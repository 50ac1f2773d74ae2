// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <ostream>
#include <vector>

namespace foxhunt::test {

// The sizes that the encoder's ops have between them; each takes those it needs.
struct EncoderSizes {
  int batch, window;
  int features;  // F
  int width;     // D
  int hidden;    // H, and mamba2's inner width E
  int state;     // mamba2's N
  int heads;     // of mamba2; divides hidden
};

inline std::ostream& operator<<(std::ostream& out, const EncoderSizes& s) {
  return out << "B" << s.batch << " T" << s.window << " F" << s.features << " D" << s.width << " H"
             << s.hidden << " N" << s.state << " heads " << s.heads;
}

// Cheap to run thousands of times, yet several of everything.
inline EncoderSizes small_encoder() { return {3, 5, 4, 6, 8, 3, 2}; }

// One of each; small; around and beyond the tiles (64 threads, 16 rows, 8 items); the longest
// window that mamba2 takes with that head; the trainer's.
inline std::vector<EncoderSizes> encoder_sizes() {
  return {{1, 1, 1, 1, 1, 1, 1},     small_encoder(),           {9, 17, 7, 67, 65, 5, 5},
          {8, 4, 8, 16, 16, 8, 2},   {2, 33, 3, 20, 70, 16, 7}, {1, 53, 2, 8, 64, 2, 1},
          {64, 16, 8, 64, 64, 16, 4}};
}

// How many schedules a test of invariance can afford of them: of the largest, in order, reverse and
// one that is shuffled.
inline int schedules_of(const EncoderSizes& s) {
  const int elements = s.batch * s.window * s.hidden;
  return elements > 20000 ? 3 : elements > 2000 ? 10 : 32;
}

// Weights of a layer with that many inputs, so that its outputs are of the size of one input.
inline std::vector<float> scaled(std::vector<float> values, int inputs) {
  for (float& v : values) v /= std::sqrt(static_cast<float>(inputs));
  return values;
}

template <class... Factors>
std::size_t count(Factors... factors) {
  return (std::size_t{1} * ... * static_cast<std::size_t>(factors));
}

}  // namespace foxhunt::test
