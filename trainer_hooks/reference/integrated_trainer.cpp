// SPDX-License-Identifier: MIT
#include "trainer_hooks/reference/integrated_trainer.h"

#include <algorithm>
#include <span>

#include "kernels/heads/mean_of_rows.h"
#include "trainer_hooks/reference/initial_parameters.h"

namespace foxhunt {
namespace {

constexpr int kLosses = 6;
constexpr float kSupportLimit = 10.0f;  // returns, in percent of the index

MarketOptions market_options(const TrainerOptions& options) {
  MarketOptions market;
  market.envs = options.sizes.envs;
  market.window = options.sizes.window;
  market.trading_cost = options.trading_cost;
  market.frd_bins = options.sizes.frd_bins;
  market.outcome_classes = options.sizes.outcomes;
  return market;
}

}  // namespace

IntegratedTrainer::IntegratedTrainer(const TrainerOptions& options, const Market& market,
                                     Dumper& dumper)
    : options_(options),
      s_(options.sizes),
      profile_(trainer_profile(options.sizes)),
      b_(profile_),
      environments_(market, market_options(options), options.seed),
      dumper_(dumper),
      support_{-kSupportLimit, kSupportLimit, s_.atoms},
      upload_(s_.batch, options.variants.variant<LabelUploadVariant>("outcome_label_upload")),
      slot_day_(static_cast<std::size_t>(s_.capacity)),
      staged_day_(static_cast<std::size_t>(s_.envs)) {
  if (s_.features != MarketEnvironments::features) {
    throw Error(Errc::bad_argument, "the environment has {} features, not {}",
                MarketEnvironments::features, s_.features);
  }
  for (std::size_t i = 0; i < profile_.launches.size(); ++i) {
    const Launch& launch = profile_.launches[i];
    launches_.emplace_back(
        profile_.makers[static_cast<std::size_t>(launch.maker)].name + " " + launch.site,
        static_cast<int>(i));
  }
  std::sort(launches_.begin(), launches_.end());
  for (cudaStream_t* stream : {&stream_, &flush_stream_, &side_stream_}) {
    check_cuda(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), "making a stream");
  }
  const auto ints = static_cast<std::size_t>(std::max(s_.batch, s_.envs));
  check_cuda(cudaMallocHost(&host_ints_, ints * sizeof(int)), "allocating pinned memory");
  check_cuda(cudaMallocHost(&host_floats_, (kLosses + 1) * sizeof(float)),
             "allocating pinned memory");
  check_cuda(cudaMallocHost(&host_lambda_, options.lambda.size() * sizeof(float)),
             "allocating pinned memory");

  // State that the first step reads.
  for (const ProfileBuffer& buffer : profile_.buffers) {
    if (buffer.carries.empty()) continue;
    const TrainerBuffers::Place& place = b_.place(buffer.carries);
    if (place.on_host) continue;  // it is zero
    check_cuda(cudaMemset(place.data, 0, place.bytes), "clearing the state");
  }
  for (const ProfileBuffer& buffer : profile_.buffers) {
    if (buffer.group != 'l') continue;
    const std::string name = buffer.name.substr(5);  // behind "grad_"
    const std::vector<float> values =
        initial_parameter(name, buffer.bound_shape().value(), options.seed);
    for (const float* to : {b_.parameter(name), b_.target_parameter(name)}) {
      check_cuda(cudaMemcpy(const_cast<float*>(to), values.data(), values.size() * sizeof(float),
                            cudaMemcpyHostToDevice),
                 "setting the parameters");
    }
  }
  fill_ring();
  check_cuda(cudaDeviceSynchronize(), "setting up");
}

IntegratedTrainer::~IntegratedTrainer() {
  cudaDeviceSynchronize();
  cudaFreeHost(host_lambda_);
  cudaFreeHost(host_floats_);
  cudaFreeHost(host_ints_);
  for (cudaStream_t stream : {stream_, flush_stream_, side_stream_}) cudaStreamDestroy(stream);
}

int IntegratedTrainer::launch_index(std::string_view maker, std::string_view site) const {
  std::string key(maker);
  key.append(" ").append(site);
  const auto found = std::lower_bound(launches_.begin(), launches_.end(), std::pair(key, -1));
  FOXHUNT_ASSERT(found != launches_.end() && found->first == key);
  return found->second;
}

TrainerProgress IntegratedTrainer::step() {
  scope_ = dumper_.step(step_);
  dump_carried_in_state();
  for (int k = 0; k < options_.k_loop; ++k) {
    if (k > 0) scope_.next_update();
    set_host_state(k);
    if (k == 0) {
      act();
      push();
    } else {
      update_priorities(0);
    }
    sample();
    encode({"", "sampled_window", "sampled_h_t", "attn_pool_out", "update", "", s_.batch});
    heads();
    targets();
    upload_labels();
    backward_heads();
    backward_encoder();
    update_parameters();
    ++update_;
  }
  TrainerProgress progress = this->progress();
  scope_.close();
  ++step_;
  return progress;
}

TrainerProgress IntegratedTrainer::progress() {
  constexpr const char* kHeads[kLosses] = {"q", "iqn", "pi", "v", "frd", "outcome"};
  float* const losses = b_.scratch("losses", kLosses);
  for (int i = 0; i < kLosses; ++i) {
    mean_of_rows(
        b_.scratch(std::string(kHeads[i]) + "_loss_rows", static_cast<std::size_t>(s_.batch)),
        s_.batch, losses + i, stream_);
  }
  check_cuda(cudaMemcpyAsync(host_floats_, losses, kLosses * sizeof(float), cudaMemcpyDeviceToHost,
                             stream_),
             "fetching the losses");
  check_cuda(cudaMemcpyAsync(host_floats_ + kLosses, f("grad_global_norm"), sizeof(float),
                             cudaMemcpyDeviceToHost, stream_),
             "fetching the gradient's norm");
  check_cuda(cudaDeviceSynchronize(), "training");
  float reward = 0;
  for (int e = 0; e < s_.envs; ++e) reward += f("act_reward")[e];
  const float* const l = host_floats_;
  return {step_, reward / static_cast<float>(s_.envs), l[0], l[1], l[2], l[3], l[4], l[5], l[6]};
}

Digest128 IntegratedTrainer::state_digest() {
  check_cuda(cudaDeviceSynchronize(), "training");
  std::vector<std::byte> state = environments_.state_bytes();
  for (const ProfileBuffer& buffer : profile_.buffers) {
    if (buffer.carries.empty()) continue;
    const TrainerBuffers::Place& place = b_.place(buffer.carries);
    const std::size_t at = state.size();
    state.resize(at + place.bytes);
    check_cuda(cudaMemcpy(state.data() + at, place.data, place.bytes,
                          place.on_host ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost),
               "reading the state");
  }
  return payload_digest(state);
}

float* IntegratedTrainer::on_device(const std::string& name) {
  return b_.scratch("device " + name, b_.place(name).bytes / sizeof(float));
}

void IntegratedTrainer::to_device(const std::string& name) {
  const TrainerBuffers::Place& place = b_.place(name);
  check_cuda(
      cudaMemcpyAsync(on_device(name), place.data, place.bytes, cudaMemcpyHostToDevice, stream_),
      "copying to the device");
}

ReplayShape IntegratedTrainer::replay_shape() const { return {s_.hidden, s_.window * s_.features}; }

ReplayRows IntegratedTrainer::rows(const std::string& prefix) const {
  return {f(prefix + "h_t"),          f(prefix + "h_tp1"),   f(prefix + "window"),
          b_.i32(prefix + "actions"), f(prefix + "rewards"), f(prefix + "dones"),
          f(prefix + "log_pi_old")};
}

Mamba2Parameters IntegratedTrainer::mamba_parameters() const {
  return {p("mamba2_in_proj"), p("mamba2_conv_w"), p("mamba2_conv_b"),  p("mamba2_dt_bias"),
          p("mamba2_a_log"),   p("mamba2_d"),      p("mamba2_out_proj")};
}

Mamba2Activations IntegratedTrainer::mamba_activations(const std::string& prefix, int rows) {
  if (prefix.empty()) {
    return {f("mamba2_projected"), f("mamba2_convolved"), f("mamba2_scanned"), f("mamba2_gated")};
  }
  const Mamba2Shape m = s_.mamba(1);
  const auto made = [&](const char* name, int per_row) {
    return b_.scratch(prefix + name, static_cast<std::size_t>(rows * per_row));
  };
  return {made("mamba2_projected", m.projected()), made("mamba2_convolved", m.channels()),
          made("mamba2_scanned", m.inner), made("mamba2_gated", m.inner)};
}

CfcParameters IntegratedTrainer::cfc_parameters() const {
  return {p("cfc_w_in"), p("cfc_w_rec"), p("cfc_b"), p("cfc_tau")};
}

NoisyLinear IntegratedTrainer::noisy_layer(bool target) const {
  const auto of = [&](const char* name) { return target ? b_.target_parameter(name) : p(name); };
  return {of("noisy_w_mu"),    of("noisy_w_sigma"), of("noisy_b_mu"),
          of("noisy_b_sigma"), s_.hidden,           s_.hidden};
}

IqnShape IntegratedTrainer::iqn_shape() const {
  return {s_.batch, s_.hidden, s_.actions, s_.quantiles, s_.quantiles};
}

IqnWeights IntegratedTrainer::iqn_weights() const {
  return {p("iqn_tau_w"), p("iqn_tau_b"), p("iqn_w"), p("iqn_b")};
}

IqnActivations IntegratedTrainer::iqn_activations() {
  return {f("iqn_taus"), f("iqn_cosines"), f("iqn_embedding"), f("iqn_quantiles"),
          reinterpret_cast<unsigned*>(b_.int_scratch("tau_counter", 1))};
}

}  // namespace foxhunt
