// SPDX-License-Identifier: MIT
#include "tests/bench/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "dump/format/error.h"

namespace foxhunt::bench {

ChildResult run_child(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const auto start = std::chrono::steady_clock::now();
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw Error(Errc::io, "{}: cannot be run: {}", argv[0], errno_text(error));

  int status = 0;
  rusage usage{};
  if (wait4(pid, &status, 0, &usage) != pid) throw Error(Errc::io, "{}: wait4 failed", argv[0]);
  ChildResult result;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.max_rss_kib = usage.ru_maxrss;
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
