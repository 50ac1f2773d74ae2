// SPDX-License-Identifier: MIT
// Runs a program and writes a ChildResult to descriptor 3. It stands between a benchmark and what
// it measures because a process starts with its parent's peak memory as its own: this one is small.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>

#include "tests/bench/child.h"
#include "tests/bench/spawn.h"

int main(int argc, char** argv) try {
  using namespace foxhunt::bench;
  const auto start = std::chrono::steady_clock::now();
  const pid_t pid = spawn_quietly({argv + 1, argv + argc});
  int status = 0;
  rusage usage{};
  if (wait4(pid, &status, 0, &usage) != pid) return 2;
  ChildResult result;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.max_rss_kib = usage.ru_maxrss;
  return write(3, &result, sizeof result) == sizeof result ? 0 : 2;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 2;
}
