// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace foxhunt::simt {

struct Grid;

// Kernels that ran side by side (mostly one), and what they found and left.
struct LaunchRecord {
  std::string kernels;  // "a" or "a, b"
  // Digests of all device allocations, in the order in which they were made.
  std::vector<std::uint64_t> before, after;
};

// While it lives, all launches are written down. One at a time.
class LaunchObserver {
 public:
  explicit LaunchObserver(std::vector<LaunchRecord>& records);
  ~LaunchObserver();
  LaunchObserver(const LaunchObserver&) = delete;
  LaunchObserver& operator=(const LaunchObserver&) = delete;
};

// The kernels of the first launch that made memory differ that it had found equal; or, if there is
// none, of the first that left other memory; or none. The records are of two runs of one program.
std::string first_to_differ(const std::vector<LaunchRecord>& a, const std::vector<LaunchRecord>& b);

// For streams.cpp: what is about to run side by side, and that it has run.
void note_launch(const std::vector<Grid*>& grids);
void note_launch_done();

}  // namespace foxhunt::simt
