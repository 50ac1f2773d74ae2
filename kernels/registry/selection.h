// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "kernels/registry/variants.h"

namespace foxhunt {

// Which variant each kernel runs as: `deterministic`, unless one was chosen by name.
//
//   VariantSelection selection = VariantSelection::from_environment();
//   for (const std::string& option : options) selection.choose(option);  // overrides it
//   reduce_axis0(..., selection.variant<ReduceAxis0Variant>("reduce_axis0"));
class VariantSelection {
 public:
  // Chooses from a comma-separated list of kernel=variant, as in
  // "reduce_axis0=float_atomics,adam_step=deterministic"; blanks around names and empty items are
  // allowed. What an earlier call chose for a kernel is replaced.
  //
  // Throws Error bad_argument, and chooses nothing, if an item is no kernel=variant, names a kernel
  // or variant that does not exist (the text lists those that do), or repeats a kernel.
  void choose(std::string_view list);

  // What FOXHUNT_KERNEL_VARIANT says. Throws as choose() does, naming the variable.
  static VariantSelection from_environment();

  // The value of the operation's own enum for `kernel`; 0, which is `deterministic` in all of them,
  // for a kernel that nothing was chosen for.
  int value(std::string_view kernel) const;

  template <class Enum>
  Enum variant(std::string_view kernel) const {
    return static_cast<Enum>(value(kernel));
  }

  // "adam_step=racing_step_counter,reduce_axis0=float_atomics": what choose() takes; empty if every
  // kernel runs as `deterministic`.
  std::string text() const;

 private:
  std::map<std::string, const KernelVariant*, std::less<>> chosen_;  // null: deterministic
};

}  // namespace foxhunt
