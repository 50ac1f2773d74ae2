// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dump/format/profile.h"
#include "trainer_hooks/reference/launch_listener.h"

namespace foxhunt {

// A fault put into a buffer on purpose, to see whether a comparison finds it. Never part of a
// training run unless asked for by name.
enum class InjectionKind {
  bit,        // one bit of one element
  ulp,        // one element, by `magnitude` units in its last place
  reorder,    // every element as a sum in another order rounds: a few units in the last place
  drop,       // one contribution is missing from one element
  stale,      // what the buffer held an update before
  shift,      // elements moved on by one
  permute,    // two rows change places
  tile,       // 32 neighbouring elements hold garbage
  nan,        // one element becomes a NaN with a payload
  zero_sign,  // one zero changes its sign
  tail,       // the last elements, up to 8, hold garbage
};

struct Injection {
  std::string buffer;  // one of the profile's, or empty: an output of `kernel` that `seed` chooses
  std::string kernel;
  std::uint64_t step = 0;
  int update = 0;  // of the K-loop
  InjectionKind kind = InjectionKind::bit;
  int magnitude = 1;  // for `ulp`
  std::uint64_t seed = 1;

  // "buffer=grad_h_t_q,step=3,kind=ulp,magnitude=4,seed=7": what parse() takes.
  std::string text() const;
  // Throws Error bad_argument that lists the known keys, kinds, or what is near to a name that the
  // profile does not have.
  static Injection parse(std::string_view text, const Profile& profile);
};

const std::vector<std::string>& injection_kinds();
std::string_view name(InjectionKind kind);

// Alters `bytes` of elements of `dtype` in rows of `row` elements, in place; `before` are the bytes
// of an update earlier (empty: none). Integers are indices or labels that later kernels look up:
// they only change places or take each other's values. Some kinds find nothing to alter, as
// `zero_sign` where there is no zero.
void alter(std::vector<std::byte>& bytes, DType dtype, std::size_t row,
           const std::vector<std::byte>& before, const Injection& injection);

// Alters a buffer right after the launch that made it, once.
class Injector : public LaunchListener {
 public:
  // `injection.buffer` or `.kernel` is known to `profile`; k_loop as the trainer's.
  Injector(Injection injection, const Profile& profile, int k_loop);

  void after(const TrainerLaunch& launch) override;

  // Nothing before it has run, then whether it changed a byte.
  std::optional<bool> changed() const { return changed_; }
  const Injection& injection() const { return injection_; }
  // The kernel, copy, view or host that makes the buffer.
  std::string maker() const;

 private:
  Injection injection_;
  int buffer_, launch_;
  const Profile& profile_;
  std::uint64_t at_, seen_ = 0;  // occurrences of the launch
  std::vector<std::byte> before_;
  std::optional<bool> changed_;
};

}  // namespace foxhunt
