// SPDX-License-Identifier: MIT
#include "trainer_hooks/reference/sizes.h"

#include <bit>

#include "dump/format/error.h"
#include "dump/format/profile_json.h"
#include "kernels/replay/replay_rows.h"

namespace foxhunt {
namespace {

constexpr int kHeadWidth = 16;  // of the Mamba-2 block's heads

void require(bool holds, const char* what) {
  if (!holds) throw Error(Errc::bad_argument, "sizes of the trainer: {}", what);
}

void check(const TrainerSizes& s) {
  require(s.envs >= 1 && s.batch >= 1 && s.window >= 1 && s.quantiles >= 1 && s.frd_bins >= 1 &&
              s.outcomes >= 1 && s.state >= 1,
          "each must be at least 1");
  require(s.actions >= 2 && s.actions <= 64, "actions must be from 2 to 64");
  require(s.atoms >= 2, "atoms must be at least 2");
  require(s.features >= 1 && s.features <= 64, "features must be from 1 to 64");
  require(s.width >= kHeadWidth / 2 && s.width <= 256 && s.width % (kHeadWidth / 2) == 0,
          "width must be a multiple of 8 from 8 to 256");
  require(s.hidden >= 1 && s.hidden <= 256, "hidden must be from 1 to 256");
  require(s.window <= 53,
          "window must be at most 53: the Mamba-2 block keeps one in shared memory");
  require(s.capacity >= 2 && std::has_single_bit(static_cast<unsigned>(s.capacity)) &&
              s.capacity <= 1 << 20,
          "capacity must be a power of two from 2 to 2^20");
  require(s.capacity >= 4 * s.envs, "capacity must be at least four times envs");
}

}  // namespace

Mamba2Shape TrainerSizes::mamba(int rows) const {
  return {rows, window, width, 2 * width, state, 2 * width / kHeadWidth};
}

std::map<std::string, std::uint64_t> TrainerSizes::symbols() const {
  const Mamba2Shape m = mamba(1);
  const std::map<std::string, int> all = {
      {"B", batch},
      {"T", window},
      {"F", features},
      {"D", width},
      {"H", hidden},
      {"A", actions},
      {"Z", atoms},
      {"N", quantiles},
      {"C", outcomes},
      {"returns", frd_bins},
      {"envs", envs},
      {"slots", capacity},
      {"nodes", 2 * capacity},
      {"staging", staging_width({hidden, window * features})},
      {"noise", 2 * hidden},
      {"counters", 2},
      {"scalars", kHostScalars},
      {"gates", 3 * hidden},
      {"projected", m.projected()},
      {"channels", m.channels()},
      {"inner", m.inner},
      {"heads", m.heads},
      {"selection_w", features + 2 * width},
      {"selection_b", 1 + 2 * width},
  };
  std::map<std::string, std::uint64_t> symbols;
  for (const auto& [symbol, size] : all) symbols[symbol] = static_cast<std::uint64_t>(size);
  return symbols;
}

Profile trainer_profile(const TrainerSizes& sizes) {
  check(sizes);
  Profile profile = builtin_profile();
  for (const auto& [symbol, size] : sizes.symbols()) profile.bind(symbol, size);
  std::uint64_t weights = 0;
  for (const ProfileBuffer& buffer : profile.buffers) {
    if (buffer.group == 'l') weights += element_count(buffer.bound_shape().value()).value();
  }
  require(weights < std::uint64_t{1} << 31, "too many weights");
  profile.bind("weights", weights);
  profile.validate();
  return profile;
}

}  // namespace foxhunt
