// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/verdict/taint.h"

namespace foxhunt {

// An instance behind an origin that is not known to be equal.
struct Ancestor {
  int buffer = -1;
  std::uint32_t steps_back = 0;  // 0: in the current step
  std::uint32_t occurrence = 0;
  int lag = 0;  // lags added up along the nearest way to it

  std::string name(const Profile& profile) const;  // "params[-1]"
  // The instance itself, whichever way leads there.
  std::uint64_t key() const noexcept;
};

// Looks for what stands between the origins of the current step and the dumped equal instances.
class AncestorSearch {
 public:
  // Both must outlive the search.
  AncestorSearch(const Profile& profile, const Window& window);

  // All unknown instances from which a launch at `occurrence` of the current step may have its
  // bits, nearest first (Origin::undumped_inputs says how near is meant); where there are more than
  // `at_most` and the launch's inputs, only that many. Nothing among its inputs may have diverged
  // or be tainted.
  std::vector<Ancestor> behind(const Launch& launch, std::uint32_t occurrence,
                               std::size_t at_most) const;

  // Whether `a` was made after `b`.
  bool made_later(const Ancestor& a, const Ancestor& b) const;

  // Where a buffer stands among those made at one occurrence: first what no launch makes, then by
  // launch and output.
  std::uint32_t rank(int buffer) const { return ranks_[static_cast<std::size_t>(buffer)]; }

 private:
  struct Found {
    Ancestor ancestor;
    bool equal = false;
    bool made = false;  // there is such an instance, so its maker's inputs can be asked for
  };
  Found find(const Ancestor& reader, const Input& input) const;
  std::optional<Evidence> carried_in(const SeenStep& step, int buffer) const;

  const Profile& profile_;
  const Window& window_;
  std::vector<std::uint32_t> ranks_;
};

}  // namespace foxhunt
