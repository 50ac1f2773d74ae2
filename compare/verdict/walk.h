// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dump/format/profile.h"

namespace foxhunt {

// The verdict by dataflow, of one rank. It works on instances (step, occurrence, buffer):
//
//   1. A dumped instance is equal or divergent. One that was not dumped (or could not be compared)
//      is tainted if another output of the same launch diverged, or if any input diverged or is
//      tainted; else unknown. A dumped equal instance stops the walk and excuses nobody behind it.
//   2. Origins: divergent instances with no divergent and no tainted input, at the first step that
//      has any.
//   3. Claims: see Claim.
//
// A buffer that a step dumped has the instances that were dumped. One that it never dumped has one
// at each occurrence up to the step's largest, or at occurrence 0 only when it is made once per
// step.
//
// `name` is the latest instance in the reader's step up to its own occurrence. `name[-1]` is the
// latest one before that occurrence, or else the last one of the previous step. Where the previous
// step was not dumped, it is the carried-in capture of this step (`params_in`), if there is one. An
// input without any such instance is unknown.
enum class Claim : std::uint8_t {
  proven,     // every input dumped and equal: different bits from equal bits
  suspected,  // some input unknown: this maker, or one of the undumped makers behind it
  external,   // made by the host, or carried into the window: the fault is outside it
};
const char* claim_name(Claim claim) noexcept;

// What the comparison knows of one dumped buffer.
enum class Evidence : std::uint8_t {
  equal,
  diverged,
  unknown,  // there, but missing on one side, incomparable or unreadable; also benign differences
};

struct Instance {
  std::string_view name;
  char group = 'a';
  std::uint32_t occurrence = 0;
  Evidence evidence = Evidence::equal;
  // Where it first differs: orders the outputs of one launch when several diverged.
  std::uint64_t first_index = 0;
};

struct Origin {
  std::string buffer;
  char group = 'a';
  std::uint32_t occurrence = 0;
  std::string kernel;  // the maker's name; empty when no profile knows it
  std::string site;
  MakerKind kind = MakerKind::kernel;
  Determinism determinism = Determinism::unknown;
  Claim claim = Claim::suspected;
  // When suspected: the unknown buffers between this origin and the dumped equal frontier, each
  // once and at its nearest, lagged ones as `name[-1]`; ordered by lag, then by launches between,
  // then in execution order. Lags add up along the way, as far as kMaxLag.
  std::vector<std::string> undumped_inputs;
  std::string undumped_groups;  // their groups' letters: what to add to the dump
  std::string advice;           // the maker's, and what its kind implies
};

inline constexpr int kMaxLag = 4;
inline constexpr std::size_t kMaxOrigins = 1000;

struct FirstDivergence {
  std::uint64_t step = 0;
  std::uint32_t occurrence = 0;  // the smallest among the origins
  std::string groups;            // letters of all groups that diverged at this step, sorted
  std::vector<Origin> origins;   // execution order: occurrence, then the profile's launch order;
                                 // buffers that no profile knows come last, by name
  std::uint64_t origins_not_listed = 0;  // past the first kMaxOrigins
  // Origins that share an undumped ancestor may be one fault: the lowest one that the most origins
  // (at least two) share, as `name` or `name[-1]`; empty where there is none.
  std::string common_undumped_ancestor;
  std::vector<std::string> sharing;  // buffers of the origins that share it
  std::vector<std::string> advice;   // of the profile's patterns that apply (rule 4)
};

class Walk {
 public:
  // The profile must outlive the walk.
  explicit Walk(const Profile& profile);
  ~Walk();

  // One committed step with everything that was dumped in it; the names need not outlive the call.
  // Steps come in ascending order; a gap means that the steps between were not dumped. While
  // nothing has diverged and each step dumps what the one before did, an instance costs a few
  // nanoseconds. Memory: what a few steps dumped, whatever their number.
  void add_step(std::uint64_t step, std::span<const Instance> instances);

  // The first step that had an origin, once there was one.
  const std::optional<FirstDivergence>& first_divergence() const noexcept { return first_; }

  // Names of the profile's buffers that no step so far has dumped, in the profile's order
  // (carried-in captures left out).
  std::vector<std::string> never_dumped() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::optional<FirstDivergence> first_;
};

}  // namespace foxhunt
