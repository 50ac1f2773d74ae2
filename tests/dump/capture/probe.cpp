// SPDX-License-Identifier: MIT
#include "tests/dump/capture/probe.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>

#include "dump/format/error.h"
#include "tests/support/temporary_directory.h"

namespace foxhunt::test {
namespace {

constexpr int kCouldNotStart = 117;

[[noreturn]] void become(const Probe& probe) {
  if (probe.before && !probe.before()) _exit(kCouldNotStart);
  std::vector<std::string> variables;
  for (const auto& [name, value] : probe.environment) variables.push_back(name + "=" + value);
  // What a forked child cannot free is no leak.
  variables.emplace_back("ASAN_OPTIONS=detect_leaks=0");
  std::vector<char*> arguments, environment;
  for (const std::string& text : probe.arguments) {
    arguments.push_back(const_cast<char*>(text.c_str()));
  }
  for (const std::string& text : variables) environment.push_back(const_cast<char*>(text.c_str()));
  arguments.push_back(nullptr);
  environment.push_back(nullptr);
  execve(arguments[0], arguments.data(), environment.data());
  _exit(kCouldNotStart);
}

pid_t start(const Probe& probe, const std::string& output, const std::string& errors) {
  const pid_t child = fork();
  if (child < 0) throw Error(Errc::io, "fork: {}", errno_text(errno));
  if (child > 0) return child;
  const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  const int err = open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  become(probe);
}

}  // namespace

std::vector<std::string> ProbeResult::messages() const {
  std::vector<std::string> lines;
  std::istringstream in(errors);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

ProbeResult run_probe(const Probe& probe, const std::filesystem::path& scratch) {
  const std::string output = scratch / "probe.out", errors = scratch / "probe.err";
  int status = 0;
  const pid_t child = start(probe, output, errors);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ProbeResult result;
  result.could_start = !(WIFEXITED(status) && WEXITSTATUS(status) == kCouldNotStart);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.output = read_file(output);
  result.errors = read_file(errors);
  return result;
}

void run_and_kill(const Probe& probe, unsigned microseconds) {
  const pid_t child = start(probe, "/dev/null", "/dev/null");
  usleep(microseconds);
  kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool mount_small_disk(const std::filesystem::path& directory, std::size_t bytes, bool read_only) {
  if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  const std::string options = fmt::format("size={}", bytes);
  return mount("foxhunt-test", directory.c_str(), "tmpfs", read_only ? MS_RDONLY : 0,
               options.c_str()) == 0;
}

}  // namespace foxhunt::test
