// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "dump/format/error.h"
#include "kernels/simt/explore/case.h"
#include "kernels/simt/explore/progress_line.h"
#include "kernels/simt/explore/target.h"

namespace foxhunt {
namespace {

struct Arguments {
  TargetRequest request;
  bool json = false;
  bool list = false;
  bool progress = false;
  int report = STDOUT_FILENO;
};

template <class T>
T number(std::string_view key, std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Error(Errc::bad_argument, "{}={}: a number was expected", key, text);
  }
  return value;
}

void take(Arguments& arguments, std::string_view key, std::string_view value) {
  TargetRequest& request = arguments.request;
  if (key == "target") {
    request.target = value;
  } else if (key == "case") {
    request.only = value;
  } else if (key == "schedules") {
    request.schedules = number<std::uint64_t>(key, value);
  } else if (key == "seed") {
    request.seed = number<std::uint64_t>(key, value);
  } else if (key == "policy") {
    request.policy = simt::policy_named(value);
    if (!request.policy) throw Error(Errc::bad_argument, "no policy is called '{}'", value);
  } else if (key == "trace") {
    request.trace_file = value;
  } else if (key == "keep-trace") {
    request.keep_trace = number<int>(key, value) != 0;
  } else if (key == "replay") {
    request.replay = value;
  } else if (key == "json") {
    arguments.json = number<int>(key, value) != 0;
  } else if (key == "list") {
    arguments.list = number<int>(key, value) != 0;
  } else if (key == "progress") {
    arguments.progress = number<int>(key, value) != 0;
  } else if (key == "report") {
    arguments.report = number<int>(key, value);
  } else {
    throw Error(Errc::bad_argument,
                "'{}' is no argument of a target: run it through "
                "explore-schedules",
                key);
  }
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  arguments.request.target = argv[0];
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::size_t sign = argument.find('=');
    take(arguments, argument.substr(0, sign),
         sign == std::string_view::npos ? std::string_view() : argument.substr(sign + 1));
  }
  return arguments;
}

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      throw Error(Errc::io, "the report cannot be written: {}", errno_text(errno));
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string list_of_cases() {
  std::string text;
  for (const ExploreCase& one : explore_cases()) {
    text += fmt::format("{}  {}:{}\n", one.name, one.file, one.line);
  }
  return text;
}

int run(Arguments arguments, const char* build) {
  if (arguments.list) {
    write_all(arguments.report, list_of_cases());
    return explore_cases().empty() ? 2 : 0;
  }
  ProgressLine line;
  if (arguments.progress) {
    arguments.request.progress = [&](const std::string& name, std::uint64_t done,
                                     std::uint64_t all) { line.show(name, done, all); };
  }
  const TargetReport report = explore_target(arguments.request, build);
  line.clear();
  write_all(arguments.report, arguments.json ? json_of(report) : text_of(report));
  return exit_code(report);
}

}  // namespace

int target_main(int argc, char** argv, const char* build) noexcept {
  int code = 2;
  try {
    code = run(parse(argc, argv), build);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argc > 0 ? argv[0] : "target", error.what());
  }
  // ThreadSanitizer would end a process that had races with an exit code of its own.
  if (std::string_view(build) == "race") {
    std::fflush(nullptr);
    ::syscall(SYS_exit_group, code);  // it intercepts _exit as well
  }
  return code;
}

}  // namespace foxhunt
