// SPDX-License-Identifier: MIT
#include "tests/kernels/replay/replay_fixture.h"

#include "tests/kernels/support/inputs.h"

namespace foxhunt::test {
namespace {

template <class T>
std::vector<T> chosen_rows(const std::vector<T>& from, const std::vector<int>& numbers, int width) {
  std::vector<T> rows;
  for (const int number : numbers) {
    for (int c = 0; c < width; ++c) {
      rows.push_back(number < 0 ? T{} : from[static_cast<std::size_t>(number * width + c)]);
    }
  }
  return rows;
}

}  // namespace

HostTransitions HostTransitions::random(int n, const ReplayShape& shape, std::uint64_t stream) {
  const auto floats = [&](int width, std::uint64_t which) {
    return random_floats(static_cast<std::size_t>(n * width), 10 * stream + which);
  };
  return {floats(shape.hidden, 0),
          floats(shape.hidden, 1),
          floats(shape.window, 2),
          random_below(static_cast<std::size_t>(n), 5, 10 * stream + 3),
          floats(1, 4),
          floats(1, 5),
          floats(1, 6)};
}

HostTransitions HostTransitions::rows(const std::vector<int>& numbers,
                                      const ReplayShape& shape) const {
  return {chosen_rows(h_t, numbers, shape.hidden),    chosen_rows(h_tp1, numbers, shape.hidden),
          chosen_rows(window, numbers, shape.window), chosen_rows(actions, numbers, 1),
          chosen_rows(rewards, numbers, 1),           chosen_rows(dones, numbers, 1),
          chosen_rows(log_pi_old, numbers, 1)};
}

void append(Bytes& bytes, const HostTransitions& transitions) {
  append(bytes, transitions.actions);
  for (const auto* values : {&transitions.h_t, &transitions.h_tp1, &transitions.window,
                             &transitions.rewards, &transitions.dones, &transitions.log_pi_old}) {
    append(bytes, *values);
  }
}

DeviceTransitions::DeviceTransitions(const HostTransitions& host)
    : h_t_(host.h_t),
      h_tp1_(host.h_tp1),
      window_(host.window),
      actions_(host.actions),
      rewards_(host.rewards),
      dones_(host.dones),
      log_pi_old_(host.log_pi_old) {}

ReplayRows DeviceTransitions::rows() {
  return {h_t_.get(),     h_tp1_.get(), window_.get(),    actions_.get(),
          rewards_.get(), dones_.get(), log_pi_old_.get()};
}

HostTransitions DeviceTransitions::read() {
  return {h_t_.read(),     h_tp1_.read(), window_.read(),    actions_.read(),
          rewards_.read(), dones_.read(), log_pi_old_.read()};
}

}  // namespace foxhunt::test
