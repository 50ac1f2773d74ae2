// SPDX-License-Identifier: MIT
#include "kernels/simt/explore/command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "dump/format/error.h"

namespace foxhunt {
namespace {

constexpr int kReport = 3;  // the target's file descriptor for its report

struct Pipe {
  int read_end = -1, write_end = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      throw Error(Errc::io, "no pipe for the report: {}", errno_text(errno));
    }
    read_end = ends[0];
    write_end = ends[1];
  }
  ~Pipe() {
    close_write_end();
    ::close(read_end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_write_end() {
    if (write_end >= 0) ::close(write_end);
    write_end = -1;
  }
};

// In the child: never returns. 127 says that the program could not be run.
[[noreturn]] void become(const char* program, char** arguments, const Pipe& pipe) {
  if (pipe.write_end == kReport) {
    ::fcntl(kReport, F_SETFD, 0);
  } else {
    ::dup2(pipe.write_end, kReport);
  }
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  ::execv(program, arguments);
  const char* const why = std::strerror(errno);
  std::fprintf(stderr, "explore-schedules: %s: cannot be run: %s\n", program, why);
  ::_exit(127);
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got == 0) return text;
    if (got < 0) {
      if (errno == EINTR) continue;
      throw Error(Errc::io, "the target's report cannot be read: {}", errno_text(errno));
    }
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw Error(Errc::io, "waiting for the target: {}", errno_text(errno));
  }
  return status;
}

}  // namespace

std::filesystem::path target_program(const std::string& target, bool race) {
  std::filesystem::path program = race ? target + "-race" : target;
  if (!program.has_parent_path()) program = "." / program;  // as given, not looked for in PATH
  if (::access(program.c_str(), X_OK) == 0 && !std::filesystem::is_directory(program)) {
    return program;
  }
  if (race && ::access(target.c_str(), X_OK) == 0) {
    throw Error(Errc::missing,
                "{}: no such program beside the target; foxhunt_add_exploration "
                "makes it unless it was told NO_RACE: build the target {}-race",
                program.string(), std::filesystem::path(target).filename().string());
  }
  throw Error(Errc::missing,
              "{}: no program that could be run; name one that "
              "foxhunt_add_exploration made",
              program.string());
}

std::vector<std::string> target_arguments(const ExploreCommand& command) {
  std::vector<std::string> arguments;
  const auto add = [&](const char* key, const std::string& value) {
    arguments.push_back(fmt::format("{}={}", key, value));
  };
  const std::uint64_t schedules = command.schedules != 0 ? command.schedules
                                  : command.race         ? 1
                                                         : 32;
  add("target", command.target);
  if (!command.only.empty()) add("case", command.only);
  add("schedules", std::to_string(schedules));
  add("seed", std::to_string(command.seed));
  if (!command.policy.empty()) add("policy", command.policy);
  if (!command.trace_file.empty()) add("trace", command.trace_file);
  if (!command.keep_trace) add("keep-trace", "0");
  if (!command.replay.empty()) add("replay", command.replay);
  if (command.json) add("json", "1");
  if (command.list) add("list", "1");
  if (command.progress) add("progress", "1");
  return arguments;
}

int explore_command(const ExploreCommand& command) {
  const std::string program = target_program(command.target, command.race).string();
  std::vector<std::string> arguments = target_arguments(command);
  arguments.insert(arguments.begin(), program);
  arguments.push_back(fmt::format("report={}", kReport));
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);

  Pipe pipe;
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw Error(Errc::io, "no process for the target: {}", errno_text(errno));
  if (child == 0) become(program.c_str(), pointers.data(), pipe);
  pipe.close_write_end();
  const std::string report = read_all(pipe.read_end);
  const int status = wait_for(child);
  if (WIFSIGNALED(status)) {
    throw Error(Errc::device, "{}: ended by signal {} ({}); no verdict", program, WTERMSIG(status),
                strsignal(WTERMSIG(status)));
  }
  const int code = WEXITSTATUS(status);
  if (code > 2) {
    if (code == 127) return 2;  // it has said why
    throw Error(Errc::device, "{}: exited {}; no verdict", program, code);
  }
  if (std::fwrite(report.data(), 1, report.size(), stdout) != report.size() ||
      std::fflush(stdout) != 0) {
    throw Error(Errc::io, "standard output cannot be written: {}", errno_text(errno));
  }
  return code;
}

}  // namespace foxhunt
