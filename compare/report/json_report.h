// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compare/report/cluster.h"
#include "compare/report/output.h"
#include "compare/runs/comparison.h"

namespace foxhunt {

inline constexpr char kReportFormat[] = "foxhunt-verdict/1";

// The report for programs: one strict JSON document, described in README.md.
//
// It takes buffers as they come, in bounded memory, and writes the document at the end: the verdict
// must stand first (a person reads the head of a file, a program may stop there), yet is known
// last, so the buffers wait in a Spool and are copied behind it. Whatever goes wrong in between,
// write() gives a whole document.
class JsonReport final : public ResultSink {
 public:
  // Never throws for a spool that cannot grow: the buffers that found no room are counted, and the
  // document says how many it does not list.
  void buffer(const BufferResult& result) override;

  // Of more than two runs: the buffers that follow come from runs number `a` and `b`.
  void set_pair(std::size_t a, std::size_t b);

  // Writes the document, newline included; may be called again for another place. Throws Error io.
  //
  // runs       the paths as given: two, and for a Clustering as many as it speaks of
  // exit_code  of the program
  void write(int fd, std::string_view where, const Comparison& comparison,
             const std::vector<std::string>& runs, int exit_code) const;
  void write(int fd, std::string_view where, const Clustering& clustering,
             const std::vector<std::string>& runs, int exit_code) const;

 private:
  void finish(int fd, std::string_view where, std::string head) const;

  Spool spool_;
  std::string extra_;
  std::uint64_t listed_ = 0, not_listed_ = 0;
  std::string trouble_;
};

}  // namespace foxhunt
