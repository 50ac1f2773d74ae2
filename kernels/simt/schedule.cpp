// SPDX-License-Identifier: MIT
#include "kernels/simt/schedule.h"

#include <array>
#include <cmath>

#include "kernels/simt/random.h"

namespace foxhunt::simt {
namespace {

constexpr std::array<Policy, 4> kCycle{Policy::permute, Policy::walk, Policy::swarm, Policy::pct};

// As the lanes of a warp go on a GPU, but all resident threads: a step each, from point to point.
void go_in_step(Schedule& s) {
  s.round_robin = true;
  s.preempt_at_sync = 1;
  s.preempt_at_access = 1;
}

void draw_swarm(Schedule& s, Random& random) {
  constexpr std::array<double, 4> kChances{0.5, 0.2, 0.05, 0.01};
  constexpr std::array<double, 3> kDrains{0, 0.05, 0.3};
  s.resident = 1u << random.below(4);
  s.blocks = static_cast<BlockOrder>(random.below(3));
  s.threads = static_cast<ThreadOrder>(random.below(6));
  s.reshuffle = random.below(2) != 0;
  s.lag_at_fence = random.below(2) != 0 ? 0.5 : 0;
  const std::uint32_t kind = random.below(5);
  if (kind == 1 || kind == 2) {
    s.preempt_at_sync = kChances[random.below(4)];
    s.preempt_at_access = kChances[random.below(4)] / 2;
    s.random_walk = kind == 2;
  } else if (kind == 3) {
    s.pct_depth = 2 + random.below(3);
  } else if (kind == 4) {
    go_in_step(s);
  }
  if (s.weak) s.weak = random.below(3) != 0;
  s.drain = kDrains[random.below(3)];
}

}  // namespace

Schedule schedule_for(std::uint64_t index, std::uint64_t base_seed,
                      const ScheduleOptions& options) {
  Schedule s;
  s.seed = mix(base_seed, 2 * index + 1);
  s.pct_length = options.points;
  if (index == 0) return s;
  s.garbage = s.seed;
  s.policy = options.only.value_or(index == 1 ? Policy::reverse : kCycle[(index - 2) % 4]);
  Random random(mix(s.seed, 2));
  // Every second one is fully lazy.
  s.eager = index % 2 == 1 ? 0 : random.unit();
  s.weak = options.weak && s.policy != Policy::reverse && s.policy != Policy::pct;
  switch (s.policy) {
    case Policy::in_order:
      s.weak = false;
      break;
    case Policy::reverse:
      s.blocks = BlockOrder::descending;
      s.threads = ThreadOrder::descending;
      break;
    case Policy::permute:
      s.blocks = BlockOrder::shuffled;
      s.threads = ThreadOrder::shuffled;
      s.resident = 4;
      s.reshuffle = true;
      s.lag_at_fence = 0.5;
      if (random.below(5) < 2) go_in_step(s);
      break;
    case Policy::walk:
      s.blocks = BlockOrder::shuffled;
      s.threads = ThreadOrder::interleaved;
      s.resident = 4;
      s.random_walk = true;
      s.preempt_at_sync = 0.5;
      s.preempt_at_access = 0.1;
      break;
    case Policy::swarm:
      draw_swarm(s, random);
      break;
    case Policy::pct:
      s.blocks = BlockOrder::shuffled;
      s.threads = ThreadOrder::interleaved;
      s.resident = 4;
      s.pct_depth = 3;
      break;
  }
  return s;
}

std::string_view name(Policy policy) {
  switch (policy) {
    case Policy::in_order:
      return "in-order";
    case Policy::reverse:
      return "reverse";
    case Policy::permute:
      return "permute";
    case Policy::walk:
      return "walk";
    case Policy::swarm:
      return "swarm";
    case Policy::pct:
      return "pct";
  }
  return "unknown";
}

std::optional<Policy> policy_named(std::string_view text) {
  for (const Policy policy : {Policy::in_order, Policy::reverse, Policy::permute, Policy::walk,
                              Policy::swarm, Policy::pct}) {
    if (name(policy) == text) return policy;
  }
  return std::nullopt;
}

std::string describe(const Schedule& schedule) {
  std::string text(name(schedule.policy));
  if (schedule.weak) text += ", weak";
  return text + ", seed " + std::to_string(schedule.seed);
}

}  // namespace foxhunt::simt
