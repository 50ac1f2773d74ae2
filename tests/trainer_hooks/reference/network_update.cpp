// SPDX-License-Identifier: MIT
#include "tests/trainer_hooks/reference/network_update.h"

#include "tests/trainer_hooks/reference/tiny_trainer.h"

namespace foxhunt::test {
namespace {

template <class T>
std::vector<T> read(const void* from, std::size_t bytes, bool on_host = false) {
  std::vector<T> values(bytes / sizeof(T));
  check_cuda(cudaMemcpy(values.data(), from, bytes,
                        on_host ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost),
             "reading a buffer");
  return values;
}

// Reads every buffer right before the optimizer's step, over what it read the time before.
class UpdateTaker : public LaunchListener {
 public:
  explicit UpdateTaker(NetworkUpdate& update) : update_(update) {}

  void before(const TrainerLaunch& launch) override {
    TrainerBuffers& b = launch.buffers;
    const Profile& profile = b.profile();
    const Launch& declared = profile.launches[static_cast<std::size_t>(launch.index)];
    if (profile.makers[static_cast<std::size_t>(declared.maker)].name != "adam_step") return;
    check_cuda(cudaDeviceSynchronize(), "taking an update");
    for (const ProfileBuffer& buffer : profile.buffers) {
      const auto& [data, bytes, on_host] = b.place(buffer.name);
      if (buffer.dtype == DType::i32) {
        update_.sample.integers[buffer.name] = read<int>(data, bytes, on_host);
      } else if (buffer.dtype == DType::f32) {
        update_.sample.floats[buffer.name] = read<float>(data, bytes, on_host);
      }
      if (buffer.group != 'l') continue;
      const std::string name = buffer.name.substr(5);  // behind "grad_"
      update_.gradients[name] = read<float>(data, bytes);
      const std::vector<float> values = read<float>(b.parameter(name), bytes);
      update_.parameters[name].assign(values.begin(), values.end());
    }
    const std::size_t rows = update_.sample.floats["v_pred"].size();
    for (const std::string head : {"q", "iqn", "pi", "v", "frd", "outcome"}) {
      update_.loss_rows[head] =
          read<float>(b.scratch(head + "_loss_rows", rows), rows * sizeof(float));
    }
  }

 private:
  NetworkUpdate& update_;
};

}  // namespace

NetworkUpdate update_after(int steps) {
  NetworkUpdate update;
  const TrainerOptions options = tiny_options();
  update.sample.sizes = options.sizes;
  update.sample.entropy_weight = options.entropy_weight;
  UpdateTaker taker(update);
  Dumper disarmed;
  IntegratedTrainer trainer(options, index_prices(), disarmed);
  trainer.add(taker);
  for (int n = 0; n < steps; ++n) update.progress = trainer.step();
  return update;
}

}  // namespace foxhunt::test
