// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dump/capture/dumper.h"
#include "dump/format/digest.h"
#include "kernels/encoder/cfc_step.h"
#include "kernels/heads/iqn.h"
#include "kernels/heads/iqn_grad.h"
#include "kernels/heads/noisy_linear.h"
#include "kernels/heads/value_support.h"
#include "kernels/registry/selection.h"
#include "kernels/replay/outcome_label_upload.h"
#include "kernels/replay/replay_rows.h"
#include "trainer_hooks/reference/environment.h"
#include "trainer_hooks/reference/launch_listener.h"
#include "trainer_hooks/reference/sizes.h"
#include "trainer_hooks/reference/trainer_buffers.h"

namespace foxhunt {

struct TrainerOptions {
  TrainerSizes sizes;
  std::uint64_t seed = 1;
  int k_loop = 1;  // updates a step
  float learning_rate = 1e-3f;
  float discount = 0.9f;
  float target_tau = 0.02f;
  float max_grad_norm = 1.0f;
  // Weights of the heads' gradients, in the order of grad_h_accumulate_scaled; those of the two
  // label heads halve every `label_half_life` updates.
  std::array<float, 5> lambda = {1.0f, 1.0f, 0.5f, 0.25f, 0.25f};
  int label_half_life = 2000;
  float entropy_weight = 0.01f;
  float trading_cost = 1e-3f;
  VariantSelection variants;
};

// What a step's end tells.
struct TrainerProgress {
  std::uint64_t step = 0;
  float reward = 0;  // mean over environments
  // Mean losses of the step's last update.
  float q = 0, iqn = 0, pi = 0, v = 0, frd = 0, outcome = 0;
  float grad_norm = 0;
};

// The reference trainer: recurrent agents trade one stock index; what they see goes into a
// prioritised replay ring with their recurrent state (Kapturowski et al., "Recurrent Experience
// Replay in Distributed Reinforcement Learning", ICLR 2019), from which an encoder and six heads
// learn. It makes the built-in profile's launches in the profile's order, each through run(), so
// that what is dumped, altered or watched after a launch is what the profile says the launch made.
//
// A step: each environment acts once, then `k_loop` updates. What is staged in one step reaches the
// ring in the next, on a stream of its own.
//
// Everything it computes is a function of options and data, under any schedule, unless a variant is
// chosen. On the executor, set the schedule first; one trainer lives at a time.
class IntegratedTrainer {
 public:
  // `dumper` must outlive this; its profile must be profile()'s. Throws Error bad_argument for
  // sizes that do not fit each other, device if the device refuses.
  IntegratedTrainer(const TrainerOptions& options, const Market& market, Dumper& dumper);
  ~IntegratedTrainer();
  IntegratedTrainer(const IntegratedTrainer&) = delete;
  IntegratedTrainer& operator=(const IntegratedTrainer&) = delete;

  const Profile& profile() const { return profile_; }
  TrainerBuffers& buffers() { return b_; }
  // Listeners are told in the order in which they were added, before the dumper. They must outlive
  // the trainer.
  void add(LaunchListener& listener) { listeners_.push_back(&listener); }

  // Takes the next step and waits for it.
  TrainerProgress step();

  // Of everything that decides how training goes on: parameters, optimizer, target network, replay,
  // recurrent and environment state.
  Digest128 state_digest();

 private:
  // Queues one of the profile's launches: `queue()` does it.
  template <class Queue>
  void run(std::string_view maker, std::string_view site, cudaStream_t stream, Queue queue) {
    const TrainerLaunch launch{launch_index(maker, site), stream, b_};
    for (LaunchListener* listener : listeners_) listener->before(launch);
    queue();
    for (LaunchListener* listener : listeners_) listener->after(launch);
    FOXHUNT_HOOK(dump_backward_state_for_debug(launch));
  }
  template <class Queue>
  void run(std::string_view maker, std::string_view site, Queue queue) {
    run(maker, site, stream_, queue);
  }
  int launch_index(std::string_view maker, std::string_view site) const;

  // dump_backward_state.cpp
  void dump_carried_in_state();
  void dump_backward_state_for_debug(const TrainerLaunch& launch);

  // acting.cpp
  void fill_ring();
  void set_host_state(int update);
  void act();
  void push();
  void update_priorities(int pushed);

  // forward.cpp
  struct Encoded {
    std::string prefix, window, h_t, out;  // buffers by name
    std::string update;                    // site of most launches
    std::string norm;                      // what the sites of layer norms begin with
    int rows;                              // batch items
  };
  void sample();
  void encode(const Encoded& e);
  void heads();
  void targets();
  void upload_labels();

  // backward.cpp
  void backward_heads();
  void backward_encoder();
  void backward_layer_norm(const std::string& site, const std::string& x,
                           const std::string& grad_out, const std::string& grad_x);
  void reduce(const std::string& scratch, const std::string& parameter);
  void update_parameters();

  ReplayShape replay_shape() const;
  ReplayRows rows(const std::string& prefix) const;
  float host_scalar(HostScalar which) const { return b_.f32("host_scalars")[which]; }
  const float* p(std::string_view name) const { return b_.parameter(name); }
  float* g(std::string_view name) const { return b_.gradient(name); }
  float* f(std::string_view name) const { return b_.f32(name); }
  Mamba2Parameters mamba_parameters() const;
  Mamba2Activations mamba_activations(const std::string& prefix, int rows);
  CfcParameters cfc_parameters() const;
  NoisyLinear noisy_layer(bool target) const;
  IqnShape iqn_shape() const;
  IqnWeights iqn_weights() const;
  IqnActivations iqn_activations();
  template <class Variant>
  Variant variant(std::string_view kernel) const {
    return options_.variants.variant<Variant>(kernel);
  }
  // The device's copy of a buffer that the host makes, and what brings it up to date.
  float* on_device(const std::string& name);
  void to_device(const std::string& name);
  const std::uint64_t* rng_counters() {
    return reinterpret_cast<const std::uint64_t*>(on_device("rng_counters"));
  }
  TrainerProgress progress();

  const TrainerOptions options_;
  const TrainerSizes s_;
  const Profile profile_;
  TrainerBuffers b_;
  MarketEnvironments environments_;
  Dumper& dumper_;
  StepScope scope_;
  std::vector<LaunchListener*> listeners_;
  std::vector<std::pair<std::string, int>> launches_;  // "maker site", sorted
  ValueSupport support_;

  cudaStream_t stream_ = nullptr, flush_stream_ = nullptr, side_stream_ = nullptr;
  OutcomeLabelUpload upload_;
  float* host_lambda_ = nullptr;  // pinned
  int* host_ints_ = nullptr;      // pinned; for actions and indices on their way to the host
  float* host_floats_ = nullptr;  // pinned; for losses
  std::vector<int> slot_day_;     // of the transition in each slot of the ring, for its labels
  std::vector<int> staged_day_;   // of those staged
  int slot_ = 0;                  // the slot to fill next, as ring_head on the device
  int filled_ = 0;                // slots in the ring that hold a transition
  int staged_ = 0;                // transitions in push_staging
  std::uint64_t step_ = 0, update_ = 0;
};

}  // namespace foxhunt
