// SPDX-License-Identifier: MIT
#include "tests/bench/spawn.h"

#include <fcntl.h>
#include <unistd.h>

#include "dump/format/error.h"

namespace foxhunt::bench {

pid_t spawn_quietly(const std::vector<std::string>& arguments, int result_fd) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if (result_fd >= 0) posix_spawn_file_actions_adddup2(&actions, result_fd, 3);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw Error(Errc::io, "{}: cannot be run: {}", argv[0], errno_text(error));
  return pid;
}

}  // namespace foxhunt::bench
