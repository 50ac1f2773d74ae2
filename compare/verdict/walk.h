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
// `name[-1]` is the latest instance before the reader's own occurrence: the previous occurrence, or
// the last one of the previous step. Where the previous step was not dumped, it is the carried-in
// capture of this step (`params_in`), if there is one.
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
  // For ordering origins "most upstream first": see Origin.
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
  // When suspected: the unknown buffers between this origin and the dumped equal frontier, nearest
  // first, each once; lagged ones as `name[-1]`.
  std::vector<std::string> undumped_inputs;
  std::string undumped_groups;  // their groups' letters: what to add to the dump
  std::string advice;           // the maker's, and what its kind implies
};

struct FirstDivergence {
  std::uint64_t step = 0;
  std::uint32_t occurrence = 0;  // the smallest among the origins
  std::string groups;            // letters of all groups that diverged at this step, sorted
  std::vector<Origin> origins;   // execution order: occurrence, then the profile's launch order;
                                 // buffers that no profile knows come last, by name
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

  // One committed step with everything that was dumped in it. Steps come in ascending order; a gap
  // means that the steps between were not dumped.
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
