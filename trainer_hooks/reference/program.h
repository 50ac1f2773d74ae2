// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

namespace foxhunt {

// What the trainer's programs do around their work: parses the command line into what `app` was
// told of, and returns what `body()` does; 0 after --help and --version; 2 after trouble, which is
// told on stderr.
template <class Body>
int run_program(CLI::App& app, int argc, char** argv, Body body) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is an error to report
  const std::string program = app.get_name();
  try {
    app.parse(argc, argv);
    return body();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    fmt::print(stderr, "{}: {}\nTry '{} --help'.\n", program, error.what(), program);
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return 2;
  }
}

}  // namespace foxhunt
