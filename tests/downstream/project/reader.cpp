// SPDX-License-Identifier: MIT
// A program of a user's that compares two runs with the library.
#include <cstdio>

#include "compare/runs/comparison.h"

namespace {

class Ignore : public foxhunt::ResultSink {
  void buffer(const foxhunt::BufferResult&) override {}
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  Ignore sink;
  const foxhunt::Comparison result = foxhunt::compare_runs(argv[1], argv[2], {}, sink);
  std::puts(foxhunt::verdict_name(result.verdict));
  return result.verdict == foxhunt::Verdict::identical ? 0 : 1;
}
