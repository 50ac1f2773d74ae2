// SPDX-License-Identifier: MIT
// Instructions that a disarmed hook takes, counted by callgrind: the macro, and the C function
// called without it.
//
//   hook_cost <hook_loop> [--quick]
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "dump/format/error.h"
#include "tests/bench/child.h"
#include "tests/bench/row.h"
#include "tests/support/temporary_directory.h"

namespace foxhunt::bench {
namespace {

constexpr int kHooksPerPass = 8;

// Instructions of a whole run of hook_loop.
std::uint64_t instructions(const std::string& program, const char* kind, int passes) {
  const test::TemporaryDirectory directory;
  const std::string counts = directory / "counts";
  run_child({"valgrind", "--tool=callgrind", "--callgrind-out-file=" + counts, program, kind,
             fmt::format("{}", passes)},
            0);
  std::ifstream in(counts);
  std::uint64_t total = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("totals: ")) total = std::strtoull(line.c_str() + 8, nullptr, 10);
  }
  if (total == 0) throw Error(Errc::io, "{}: callgrind left no total", counts);
  return total;
}

// Two lengths of the same loop, so that what comes before and after it cancels out.
double instructions_a_pass(const std::string& program, const char* kind) {
  constexpr int kShort = 1000, kLong = 11'000;
  const std::uint64_t less = instructions(program, kind, kShort);
  return static_cast<double>(instructions(program, kind, kLong) - less) / (kLong - kShort);
}

void run(const std::string& program) {
  unsetenv("FOXHUNT_DETERMINISM_DEBUG_BACKWARD");
  const double loop = instructions_a_pass(program, "none");
  const auto a_hook = [&](const char* kind) {
    return (instructions_a_pass(program, kind) - loop) / kHooksPerPass;
  };
  print({"dumper disarmed: a hook by the macro (" FOXHUNT_COMPILER ")", a_hook("macro"),
         "instructions", 5, 3, true});
  print({"dumper disarmed: a hook by the C function (" FOXHUNT_COMPILER ")",
         a_hook("function"),
         "instructions",
         15,
         {},
         true});
}

}  // namespace
}  // namespace foxhunt::bench

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  try {
    foxhunt::bench::run(argv[1]);
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "hook_cost: {}\n", e.what());
    return 2;
  }
}
