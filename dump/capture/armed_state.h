// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "dump/capture/armed.h"

namespace foxhunt {

// Keeps foxhunt_armed_state for all the dumpers of the process.

inline int armed_state() noexcept {
  return __atomic_load_n(&foxhunt_armed_state, __ATOMIC_RELAXED);
}

// Ends the state -1. Whether this call did: then it is the one to report what the environment
// holds, if that is an error.
bool settle_armed_state(int state) noexcept;

// What the first hook does: settles the state from the environment, and prints what is wrong with
// it, if anything.
void read_armed_state() noexcept;

// A dumper records from now on, and does no longer. The latter also after a dumper that could not
// be opened: `was_recording` is then false.
void add_recording_dumper();
void remove_recording_dumper(bool was_recording = true) noexcept;

// Changes in a forked child: a dumper of an older generation is the parent's, and must not be
// touched.
std::uint64_t fork_generation() noexcept;

}  // namespace foxhunt
