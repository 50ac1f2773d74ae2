// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "trainer_hooks/reference/campaign.h"
#include "trainer_hooks/reference/program.h"

extern char** environ;

namespace {

using namespace foxhunt;

constexpr char kProgram[] = "foxhunt-campaign";
constexpr char kAbout[] =
    "Records pairs of runs of the reference trainer, with a defect, with one altered buffer or "
    "with "
    "nothing but another schedule between them, and holds each verdict against the truth.";
constexpr char kFooter[] = "Exit codes: 0 everything held, 1 something did not, 2 trouble.";

struct Command {
  std::vector<std::string> parts = {"variants", "injections", "clean", "bare"};
  int pairs = 20;
  std::uint64_t injections = 5000, clean = 2000, seed = 1;
  std::string scratch, data = FOXHUNT_REFERENCE_DATA;

  bool has(const char* part) const {
    return std::find(parts.begin(), parts.end(), part) != parts.end();
  }
};

void add_options(CLI::App& app, Command& command) {
  app.add_option("part", command.parts, "variants, injections, clean, bare; all if none is named")
      ->check(CLI::IsMember({"variants", "injections", "clean", "bare"}));
  app.add_option("--pairs", command.pairs, "runs to compare with each variant")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--injections", command.injections, "buffers to alter")->capture_default_str();
  app.add_option("--clean", command.clean, "pairs without a fault")->capture_default_str();
  app.add_option("--seed", command.seed, "of trainers, schedules and faults")
      ->capture_default_str();
  app.add_option("--scratch", command.scratch,
                 "directory for runs; default: TMPDIR, or memory if that is not set");
  app.add_option("--data", command.data, "daily prices: a time and four indices a line")
      ->capture_default_str();
}

// What the caller has set for trainers of his own is not meant for these.
void clear_environment() {
  std::vector<std::string> mine;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    if (text.starts_with("FOXHUNT_")) mine.push_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : mine) ::unsetenv(name.c_str());
}

int run(const Command& command) {
  clear_environment();
  const Market market = load_market(command.data);
  const ScratchDirectory scratch(command.scratch);
  Campaign campaign{market, scratch, command.seed, ::isatty(STDERR_FILENO) != 0};
  if (command.has("variants")) run_variants(campaign, command.pairs);
  if (command.has("injections") || command.has("bare")) {
    run_injections(campaign, command.injections, command.has("bare"));
  }
  if (command.has("clean")) run_clean_pairs(campaign, command.clean);
  if (campaign.misses > 0) fmt::print("{} missed\n", campaign.misses);
  return campaign.misses == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Command command;
  CLI::App app(kAbout, kProgram);
  app.footer(kFooter);
  app.set_version_flag("--version", fmt::format("{} {}", kProgram, FOXHUNT_VERSION));
  add_options(app, command);
  return run_program(app, argc, argv, [&] { return run(command); });
}
