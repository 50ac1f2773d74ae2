// SPDX-License-Identifier: MIT
#include "tests/bench/child.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dump/format/error.h"
#include "tests/bench/spawn.h"

namespace foxhunt::bench {

ChildResult run_child(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(Errc::io, "pipe: {}", errno_text(errno));
  std::vector<std::string> launched = {FOXHUNT_BENCH_LAUNCHER};
  launched.insert(launched.end(), arguments.begin(), arguments.end());
  const pid_t pid = spawn_quietly(launched, ends[1]);
  close(ends[1]);
  ChildResult result;
  const ssize_t got = read(ends[0], &result, sizeof result);
  close(ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  if (got != sizeof result) throw Error(Errc::io, "{}: cannot be run or measured", arguments[0]);
  return result;
}

ChildResult run_child(const std::vector<std::string>& arguments, int expected) {
  const ChildResult result = run_child(arguments);
  if (result.exit_code != expected) {
    throw Error(Errc::io, "{}: exit code {}, not {}", fmt::join(arguments, " "), result.exit_code,
                expected);
  }
  return result;
}

}  // namespace foxhunt::bench
