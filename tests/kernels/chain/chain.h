// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace foxhunt::test {

struct ChainOutput {
  std::string name;  // "1 grad_cfc_out": made in step 1
  std::vector<std::byte> bytes;
};

// Every kernel of the library once or more, in the order and over the data flow of the trainer: a
// few steps of acting, replay, forward, targets, backward, reduction and update, with each kernel's
// default variant and our own GEMM. Returns whatever they wrote, in that order. Inputs are fixed.
std::vector<ChainOutput> run_chain();

}  // namespace foxhunt::test
