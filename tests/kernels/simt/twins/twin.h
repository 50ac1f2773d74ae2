// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace foxhunt::twins {

// Bytes that a twin left in device or host memory, as its author would read them.
using Bytes = std::vector<std::byte>;

// The least that the executor must do for the bug to show.
enum class Needs {
  order,         // any build: another order of blocks, warps, lanes, atomics, or other garbage
  instrumented,  // a switch between two plain accesses
  weak,          // instrumented, with stores that others see late or loads that see the past
  streams,       // any build: another order of the device's queues
};
const char* needs_name(Needs needs) noexcept;

// One kind of bug: a small program with the bug, and the same program repaired.
struct Twin {
  const char* name;  // snake_case, unique
  const char* wrong;
  Needs needs;
  bool data_race;          // the race detector reports it, too
  const char* diagnostic;  // the kind of mistake that the executor reports besides, or ""
  Bytes (*run)(bool fixed);
};

// All of them, in a fixed order.
std::span<const Twin> all_twins();

// The twin of that name, or nullptr.
const Twin* find_twin(std::string_view name);

}  // namespace foxhunt::twins
