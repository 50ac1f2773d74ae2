// SPDX-License-Identifier: MIT
#include "kernels/replay/replay_oracle.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace foxhunt::oracle {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

std::vector<int> ring_of_numbers(int capacity, int head, int pushes) {
  std::vector<int> ring(at(capacity), -1);
  for (int i = 0; i < pushes; ++i) ring[at((head + i) % capacity)] = i;
  return ring;
}

std::vector<double> tree_rebuild(const std::vector<double>& priorities) {
  const std::size_t capacity = priorities.size();
  std::vector<double> tree(2 * capacity, 0.0);
  for (std::size_t i = 0; i < capacity; ++i) tree[capacity + i] = priorities[i];
  for (std::size_t k = capacity - 1; k >= 1; --k) tree[k] = tree[2 * k] + tree[2 * k + 1];
  return tree;
}

std::vector<int> find_leaves(const std::vector<double>& priorities,
                             const std::vector<double>& targets) {
  std::vector<int> leaves;
  for (const double target : targets) {
    double sum = 0;
    int leaf = 0;
    for (std::size_t i = 0; i < priorities.size(); ++i) {
      if (priorities[i] == 0) continue;
      leaf = static_cast<int>(i);
      sum += priorities[i];
      if (target < sum) break;
    }
    leaves.push_back(leaf);
  }
  return leaves;
}

std::vector<double> importance_weights(const std::vector<double>& priorities,
                                       const std::vector<int>& sampled, int filled, double beta) {
  double sum = 0;
  for (const double p : priorities) sum += p;
  std::vector<double> weights;
  for (const int slot : sampled) {
    weights.push_back(std::pow(filled * priorities[at(slot)] / sum, -beta));
  }
  const double largest = *std::max_element(weights.begin(), weights.end());
  for (double& weight : weights) weight /= largest;
  return weights;
}

std::vector<double> update_priorities(std::vector<double> priorities,
                                      const std::vector<int>& sampled,
                                      const std::vector<double>& td_error, int ring_head,
                                      int pushed, double alpha, double epsilon) {
  const int capacity = static_cast<int>(priorities.size()) - 1;
  double& largest = priorities.back();
  for (std::size_t b = 0; b < sampled.size(); ++b) {
    const double priority = std::pow(std::fabs(td_error[b]) + epsilon, alpha);
    priorities[at(sampled[b])] = priority;
    largest = std::max(largest, priority);
  }
  for (int i = 1; i <= pushed; ++i) {
    priorities[at((ring_head - i + capacity) % capacity)] = largest;
  }
  return priorities;
}

}  // namespace foxhunt::oracle
