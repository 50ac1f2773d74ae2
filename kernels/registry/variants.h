// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

namespace foxhunt {

// One way in which one kernel can be built wrong: the real bug of that kernel, found in the wild
// and exposed by real schedules, never noise added to an output. Every kernel's default is
// `deterministic`; that name stands for every kernel and is not listed.
struct KernelVariant {
  std::string_view kernel;  // as the profile calls it: "reduce_axis0"
  std::string_view name;    // "float_atomics"
  int value;                // of the operation's own enum; `deterministic` is 0
  std::string_view defect;  // what is wrong with it, in a line

  // What it takes to see it.
  struct Needs {
    bool instrumented = false;  // the executor's build that can stop between any two accesses
    bool weak_memory = false;   // schedules whose stores become visible late
    bool streams = false;       // work on two streams, or a host that does not wait
    bool cuda = false;          // a GPU: cuBLAS is not on the executor
  } needs;
};

// All of them, a kernel's together, in the order of its enum.
std::span<const KernelVariant> kernel_variants();

}  // namespace foxhunt
