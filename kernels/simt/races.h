// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace foxhunt::simt {

// What ThreadSanitizer found in the race build of kernels: two accesses to the same bytes, at least
// one of them a write, that no barrier, fence, atomic or stream orders. One in-order run finds all
// races of that run, because it asks for order and not for an unlucky moment. What is ordered, but
// by chance (float atomics, slots by a counter), is no race.
struct Race {
  struct Access {
    bool write = false;
    bool atomic = false;
    std::size_t bytes = 0;
    std::string function, file;
    int line = 0;
  };
  Access first, second;  // as reported: `first` is the later one; `second` may have no place
  std::string kernel;    // that ran when it was found

  // "a.cu:12: write of 4 bytes races with read of 4 bytes at a.cu:15 (kernel)"
  std::string text() const;
};

// Whether this is the race build.
bool detects_races();

// Those since set_schedule or the last call, each pair of lines once. Empty in other builds.
std::vector<Race> take_races();

}  // namespace foxhunt::simt
