// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

// The replay buffer's operations, sequential and in double. Pushing and flushing only copy, so
// their oracle is a ring that takes transitions by number.
namespace foxhunt::oracle {

// The transition that each slot of the ring holds after `pushes` transitions from `head` on; -1 for
// none.
std::vector<int> ring_of_numbers(int capacity, int head, int pushes);

std::vector<double> tree_rebuild(const std::vector<double>& priorities);

// Where each of `targets` falls in the running sums of the priorities.
std::vector<int> find_leaves(const std::vector<double>& priorities,
                             const std::vector<double>& targets);

// Importance weights of the sampled slots, divided by the largest.
std::vector<double> importance_weights(const std::vector<double>& priorities,
                                       const std::vector<int>& sampled, int filled, double beta);

// `priorities` [capacity + 1], as rl_per_update_priorities leaves them.
std::vector<double> update_priorities(std::vector<double> priorities,
                                      const std::vector<int>& sampled,
                                      const std::vector<double>& td_error, int ring_head,
                                      int pushed, double alpha, double epsilon);

}  // namespace foxhunt::oracle
