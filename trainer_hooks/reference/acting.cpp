// SPDX-License-Identifier: MIT
// Acting and the way of a transition into the replay ring.
#include <algorithm>

#include "kernels/heads/act_sample.h"
#include "kernels/heads/pi_head.h"
#include "kernels/math/philox.h"
#include "kernels/replay/rl_per_push_flush.h"
#include "kernels/replay/rl_per_push_ring.h"
#include "kernels/replay/rl_per_update_priorities.h"
#include "kernels/stream_order.h"
#include "trainer_hooks/reference/integrated_trainer.h"

namespace foxhunt {
namespace {

constexpr PriorityOptions kPriorities{0.6f, 0.01f};
constexpr float kBetaStart = 0.4f;  // rises to 1 over kBetaUpdates
constexpr float kBetaUpdates = 10000;

std::size_t times(int a, int b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

}  // namespace

// A quarter of the ring, by agents that act at random and remember nothing: enough for the first
// updates to draw from. Made by the host, so that the first push is the first step's.
void IntegratedTrainer::fill_ring() {
  const int width = s_.window * s_.features, rounds = s_.capacity / (4 * s_.envs);
  const auto envs = static_cast<std::size_t>(s_.envs);
  const auto to = [&](const std::string& name, int row, int row_elements, const void* from) {
    check_cuda(cudaMemcpy(f(name) + times(row, row_elements), from,
                          times(s_.envs, row_elements) * sizeof(float), cudaMemcpyHostToDevice),
               "filling the replay ring");
  };
  for (const char* name : {"replay_h_t", "replay_h_tp1", "replay_window", "replay_actions",
                           "replay_rewards", "replay_dones", "replay_log_pi_old"}) {
    check_cuda(cudaMemset(f(name), 0, b_.place(name).bytes), "clearing the replay ring");
  }
  std::vector<float> window(times(s_.envs, width)), reward(envs), done(envs);
  std::vector<int> action(envs);
  const std::vector<float> log_pi(envs, math::log(1.0f / static_cast<float>(s_.actions)));
  for (int round = 0; round < rounds; ++round) {
    environments_.observe(window.data());
    for (int e = 0; e < s_.envs; ++e) {
      const auto draw = math::philox(options_.seed, math::RngPurpose::environment,
                                     (std::uint64_t{1} << 40) + static_cast<std::uint64_t>(round),
                                     static_cast<std::uint64_t>(e));
      action[static_cast<std::size_t>(e)] =
          static_cast<int>(draw.x % static_cast<std::uint32_t>(s_.actions));
      slot_day_[static_cast<std::size_t>(slot_ + e)] = environments_.day(e);
    }
    environments_.step(action.data(), reward.data(), done.data());
    to("replay_window", slot_, width, window.data());
    to("replay_actions", slot_, 1, action.data());
    to("replay_rewards", slot_, 1, reward.data());
    to("replay_dones", slot_, 1, done.data());
    to("replay_log_pi_old", slot_, 1, log_pi.data());
    slot_ += s_.envs;
  }
  filled_ = slot_;
  std::vector<float> priorities(static_cast<std::size_t>(s_.capacity) + 1);
  std::fill_n(priorities.begin(), filled_, 1.0f);
  priorities.back() = 1.0f;  // the largest so far
  check_cuda(cudaMemcpy(f("replay_priorities"), priorities.data(),
                        priorities.size() * sizeof(float), cudaMemcpyHostToDevice),
             "filling the priorities");
  check_cuda(cudaMemcpy(b_.i32("ring_head"), &slot_, sizeof slot_, cudaMemcpyHostToDevice),
             "setting the ring's head");
}

void IntegratedTrainer::set_host_state(int update) {
  run("host", "rng", [&] {
    auto* const counters = static_cast<std::uint64_t*>(b_.place("rng_counters").data);
    counters[0] = options_.seed;
    counters[1] = update_;
  });
  run("host", "scalars", [&] {
    float* const scalars = f("host_scalars");
    std::copy(options_.lambda.begin(), options_.lambda.end(), scalars + kLambdaQ);
    const float age = static_cast<float>(update_);
    const float label_weight =
        math::exp(-0.6931472f * (age / static_cast<float>(options_.label_half_life)));
    scalars[kLambdaFrd] *= label_weight;
    scalars[kLambdaOutcome] *= label_weight;
    scalars[kLearningRate] = options_.learning_rate;
    scalars[kBeta] = kBetaStart + (1.0f - kBetaStart) * std::min(1.0f, age / kBetaUpdates);
    // Those staged in the last step arrive in this one.
    if (update == 0) filled_ = std::min(s_.capacity, filled_ + staged_);
    scalars[kFilled] = static_cast<float>(filled_);
    scalars[kUpdate] = age;
  });
  to_device("rng_counters");
}

void IntegratedTrainer::act() {
  const int n = s_.envs;
  run("host", "act_window", [&] { environments_.observe(f("act_window")); });
  run("copy", "act_h_t", [&] {
    float* const h_t = f("act_h_t");
    check_cuda(cudaMemcpyAsync(h_t, f("act_h_tp1"), b_.place("act_h_t").bytes,
                               cudaMemcpyDeviceToDevice, stream_),
               "copying the recurrent state");
    for (int e = 0; e < n; ++e) {  // an episode begins without a memory
      if (f("act_done")[e] == 0.0f) continue;
      check_cuda(cudaMemsetAsync(h_t + times(e, s_.hidden), 0, times(1, s_.hidden) * sizeof(float),
                                 stream_),
                 "clearing the recurrent state");
    }
  });
  to_device("act_window");
  encode({"act_", "act_window", "act_h_t", "act_h_tp1", "act", "act_", n});
  run("pi_head_fwd", "act", [&] {
    pi_head_fwd(f("act_h_tp1"), p("pi_w"), p("pi_b"), n, s_.hidden, s_.actions, f("act_pi_logits"),
                stream_);
  });
  run("act_sample", "", [&] {
    act_sample(f("act_pi_logits"), rng_counters(), n, s_.actions, b_.i32("act_action"),
               f("act_log_pi"), stream_);
  });
  check_cuda(cudaMemcpyAsync(host_ints_, b_.i32("act_action"), b_.place("act_action").bytes,
                             cudaMemcpyDeviceToHost, stream_),
             "fetching the actions");
  check_cuda(cudaStreamSynchronize(stream_), "acting");
}

void IntegratedTrainer::update_priorities(int pushed) {
  run("rl_per_update_priorities", "", [&] {
    rl_per_update_priorities(b_.i32("sampled_index"), f("td_error"), update_ == 0 ? 0 : s_.batch,
                             b_.i32("ring_head"), pushed, s_.capacity, kPriorities,
                             f("replay_priorities"), stream_);
  });
}

void IntegratedTrainer::push() {
  const int n = s_.envs;
  std::vector<int> days;
  for (int e = 0; e < n; ++e) days.push_back(environments_.day(e));
  run("host", "environment",
      [&] { environments_.step(host_ints_, f("act_reward"), f("act_done")); });
  update_priorities(staged_);
  to_device("act_reward");
  to_device("act_done");
  run("rl_per_push_flush", "", flush_stream_, [&] {
    rl_per_push_flush(f("push_staging"), staged_, replay_shape(), rows("replay_"), stream_,
                      flush_stream_, variant<PushFlushVariant>("rl_per_push_flush"));
  });
  for (int i = 0; i < staged_; ++i) {
    slot_day_[static_cast<std::size_t>(slot_)] = staged_day_[static_cast<std::size_t>(i)];
    slot_ = (slot_ + 1) % s_.capacity;
  }
  const ConstReplayRows transitions{
      f("act_h_t"),         f("act_h_tp1"),          on_device("act_window"),
      b_.i32("act_action"), on_device("act_reward"), on_device("act_done"),
      f("act_log_pi")};
  run("rl_per_push_ring", "", [&] {
    rl_per_push_ring(transitions, n, replay_shape(), s_.capacity, f("push_staging"),
                     b_.i32("ring_head"), stream_, variant<PushRingVariant>("rl_per_push_ring"));
  });
  staged_day_ = std::move(days);
  staged_ = n;
}

}  // namespace foxhunt
