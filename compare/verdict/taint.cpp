// SPDX-License-Identifier: MIT
#include "compare/verdict/taint.h"

#include <algorithm>
#include <optional>

namespace foxhunt {
namespace {

enum class State : std::uint8_t { none, equal, unknown, diverged, tainted };

State state_of(std::optional<Evidence> evidence) {
  if (!evidence || *evidence == Evidence::unknown) return State::unknown;
  return *evidence == Evidence::equal ? State::equal : State::diverged;
}

// Goes through a step in execution order and keeps, for each buffer, the state of its latest
// instance.
class Sweep {
 public:
  Sweep(const Profile& profile, const Window& window)
      : p_(profile), step_(*window.front()), now_(profile.buffers.size(), State::none) {
    for (std::size_t b = 0; b < p_.buffers.size(); ++b) {
      before_step_.push_back(state_before_step(static_cast<int>(b), window));
      if (p_.buffers[b].launch < 0) unmade_.push_back(static_cast<int>(b));
    }
  }

  std::vector<OriginPlace> run() {
    std::uint32_t next = 0;
    for (const std::uint32_t occurrence : step_.occurrences()) {
      pass_gap(next, occurrence);
      pass(occurrence);
      next = occurrence + 1;
    }
    return std::move(origins_);
  }

 private:
  State state_before_step(int buffer, const Window& window) const {
    if (window.size() > 1) {
      const SeenStep& previous = *window[1];
      return state_of(previous.latest(buffer, previous.last_occurrence())->evidence);
    }
    const int capture = p_.carried_in(buffer);
    return capture < 0 ? State::unknown : state_of(step_.worst(capture));
  }

  // Occurrences at which nothing was dumped change nothing any more once they repeat themselves:
  // a hostile run may leave billions of them out.
  void pass_gap(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t occurrence = first; occurrence < last; ++occurrence) {
      pass(occurrence);
      if (occurrence > 0 && now_ == before_) return;
    }
  }

  void pass(std::uint32_t occurrence) {
    before_ = now_;
    for (const int buffer : unmade_) {
      const auto place = step_.at(buffer, occurrence);
      if (!place) continue;
      set(buffer, state_of(place->evidence));
      if (state_of(place->evidence) != State::diverged) continue;
      const bool carried = !p_.buffers[static_cast<std::size_t>(buffer)].carries.empty();
      origins_.push_back({buffer, occurrence, carried ? Claim::external : Claim::suspected});
    }
    for (const Launch& launch : p_.launches) pass(launch, occurrence);
  }

  void pass(const Launch& launch, std::uint32_t occurrence) {
    bool input_diverged = false, input_unknown = false, output_diverged = false;
    for (const Input& input : launch.inputs) {
      const State state = input_state(input);
      input_diverged |= state == State::diverged || state == State::tainted;
      input_unknown |= state == State::unknown;
    }
    for (const int output : launch.outputs) {
      const auto place = step_.at(output, occurrence);
      output_diverged |= place && state_of(place->evidence) == State::diverged;
    }
    for (const int output : launch.outputs) {
      const auto place = step_.at(output, occurrence);
      if (!place) continue;
      State state = state_of(place->evidence);
      if (state == State::unknown && (input_diverged || output_diverged)) state = State::tainted;
      set(output, state);
      if (state != State::diverged || input_diverged) continue;
      const bool host = p_.makers[static_cast<std::size_t>(launch.maker)].kind == MakerKind::host;
      origins_.push_back({output, occurrence,
                          host            ? Claim::external
                          : input_unknown ? Claim::suspected
                                          : Claim::proven});
    }
  }

  State input_state(const Input& input) const {
    const auto buffer = static_cast<std::size_t>(input.buffer);
    if (input.lag == 0) return now_[buffer] == State::none ? State::unknown : now_[buffer];
    return before_[buffer] == State::none ? before_step_[buffer] : before_[buffer];
  }

  void set(int buffer, State state) { now_[static_cast<std::size_t>(buffer)] = state; }

  const Profile& p_;
  const SeenStep& step_;
  std::vector<State> now_;          // none: no instance in this step yet
  std::vector<State> before_;       // now_ as it was when the current occurrence began
  std::vector<State> before_step_;  // of what [-1] means while the step has no instance
  std::vector<int> unmade_;         // buffers that no launch makes
  std::vector<OriginPlace> origins_;
};

}  // namespace

std::vector<OriginPlace> find_origins(const Profile& profile, const Window& window) {
  return Sweep(profile, window).run();
}

}  // namespace foxhunt
