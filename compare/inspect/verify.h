// SPDX-License-Identifier: MIT
#pragma once

#include "compare/inspect/selection.h"

namespace foxhunt {

// Whether a run is what it says it is: each selected record's bytes against its digests, its chunk
// words against the chunked digest, and the log against the end marker.
struct Verification {
  enum class Outcome : std::uint8_t {
    verified = 0,     // the numbers are inspect-run's exit codes
    mismatch = 1,     // something is not what was written
    cannot_tell = 2,  // no digests (a bare run), an open run, or something that cannot be read
  };
  Outcome outcome = Outcome::cannot_tell;
  std::uint64_t steps = 0, records = 0, bytes = 0;  // looked at
  std::uint64_t mismatched = 0;                     // records
  std::vector<Problem> mismatches;                  // the first kMaxListed
  std::vector<Problem> doubts;                      // what kept it from telling
  std::vector<Problem> notes;                       // neither: a cut run, say
  static constexpr std::size_t kMaxListed = 1000;
};

// Throws what open_runs throws. A mismatch wins over a doubt.
Verification verify_run(const std::filesystem::path& path, const Selection& selection);

// The report for people.
std::string verification_text(const Verification& verification, const std::string& run);

}  // namespace foxhunt
