// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <optional>
#include <random>

#include "dump/format/error.h"
#include "trainer_hooks/reference/audit.h"
#include "trainer_hooks/reference/backend.h"
#include "trainer_hooks/reference/injection.h"
#include "trainer_hooks/reference/integrated_trainer.h"
#include "trainer_hooks/reference/program.h"

namespace {

using namespace foxhunt;

constexpr char kProgram[] = "foxhunt-train";
constexpr char kAbout[] =
    "Trains recurrent agents that trade a stock index: the reference trainer, with real defects to "
    "switch on. Set FOXHUNT_DETERMINISM_DEBUG_BACKWARD=1 to record a run.";
constexpr char kFooter[] =
    "Exit codes: 0 trained, 1 --require-deterministic found a setting that is not, 2 trouble.";

struct Command {
  TrainerOptions trainer;
  std::uint64_t steps = 4;
  std::optional<std::uint64_t> schedule_seed;
  std::string backend = backend_name();
  std::string data = FOXHUNT_REFERENCE_DATA;
  std::vector<std::string> variants;
  std::string inject;
  bool audit = false, require_deterministic = false, quiet = false;
};

void add_options(CLI::App& app, Command& command) {
  TrainerSizes& s = command.trainer.sizes;
  app.add_option("--steps", command.steps, "how many to train")->capture_default_str();
  app.add_option("--seed", command.trainer.seed, "of parameters, noise, draws and environments")
      ->capture_default_str();
  app.add_option("--batch", s.batch, "transitions an update")->capture_default_str();
  app.add_option("--hidden", s.hidden, "width of the recurrent state")->capture_default_str();
  app.add_option("--width", s.width, "of the encoder's trunk")->capture_default_str();
  app.add_option("--window", s.window, "days that an agent sees")->capture_default_str();
  app.add_option("--envs", s.envs, "environments side by side")->capture_default_str();
  app.add_option("--capacity", s.capacity, "slots of the replay ring")->capture_default_str();
  app.add_option("--k-loop", command.trainer.k_loop, "updates a step")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--learning-rate", command.trainer.learning_rate, "of Adam")
      ->capture_default_str();
  app.add_option("--data", command.data, "daily prices: a time and four indices a line")
      ->capture_default_str();
  app.add_option("--backend", command.backend, "simt, simt-instrumented (weak memory) or cuda")
      ->check(CLI::IsMember({"simt", "simt-instrumented", "cuda"}))
      ->capture_default_str();
  app.add_option("--schedule-seed", command.schedule_seed,
                 "of the executor's schedule; drawn anew if not given, as on a GPU");
  app.add_option("--variant", command.variants,
                 "run a kernel with a defect: kernel=name; --variant help lists them");
  app.add_option("--inject", command.inject,
                 "alter a buffer: buffer=NAME,step=N,kind=KIND,seed=N; --inject help tells more");
  app.add_flag("--determinism-audit", command.audit,
               "print every setting that decides determinism");
  app.add_flag("--require-deterministic", command.require_deterministic,
               "exit 1 before training if such a setting is off");
  app.add_flag("--quiet", command.quiet, "no line for each step");
}

// Kernels of one build only are in a program: another backend is another program beside this one.
[[noreturn]] void become_backend(const std::string& backend, char** argv) {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string suffix = backend == "simt" ? "" : backend == "cuda" ? "-cuda" : "-instrumented";
  const std::filesystem::path other = self.parent_path() / (kProgram + suffix);
  argv[0] = const_cast<char*>(other.c_str());
  ::execv(other.c_str(), argv);
  throw Error(Errc::missing, "backend {}: cannot run {}: {}", backend, other.string(),
              errno_text(errno));
}

void print_progress(const TrainerProgress& p) {
  fmt::print(
      "step {:<5} reward {:+.4f}  q {:.4f}  iqn {:.4f}  pi {:+.4f}  v {:.4f}  frd {:.4f}  "
      "outcome {:.4f}  |grad| {:.4f}\n",
      p.step, p.reward, p.q, p.iqn, p.pi, p.v, p.frd, p.outcome, p.grad_norm);
}

int train(Command& command) {
  command.trainer.variants = VariantSelection::from_environment();
  for (const std::string& variant : command.variants) command.trainer.variants.choose(variant);

  if (!command.schedule_seed) {
    std::random_device entropy;
    command.schedule_seed = std::uint64_t{entropy()} << 32 | entropy();
  }
  follow_schedule(*command.schedule_seed);
  if (command.audit || command.require_deterministic) {
    const std::vector<AuditLine> audit = determinism_audit(command.trainer.variants);
    for (const AuditLine& line : audit) {
      fmt::print("{} {:<28} {}\n", line.deterministic ? "  ok " : " OFF ", line.setting,
                 line.value);
    }
    if (command.require_deterministic && !all_deterministic(audit)) {
      fmt::print(stderr, "{}: not every setting is deterministic (OFF above)\n", kProgram);
      return 1;
    }
  }

  const Profile profile = trainer_profile(command.trainer.sizes);
  DumperOptions options;
  options.provenance = {{"backend", backend_name()},
                        {"schedule_seed", std::to_string(*command.schedule_seed)},
                        {"seed", std::to_string(command.trainer.seed)},
                        {"variants", command.trainer.variants.text()},
                        {"injection", command.inject}};
  options.device = make_backend_queue;
  std::optional<Error> trouble;
  Dumper dumper = Dumper::from_environment([&] { return profile; }, std::move(options), &trouble);
  if (trouble) return 2;  // told already: who asks for a run wants one

  IntegratedTrainer trainer(command.trainer, load_market(command.data), dumper);
  std::optional<Injector> injector;
  if (!command.inject.empty()) {
    injector.emplace(Injection::parse(command.inject, profile), profile, command.trainer.k_loop);
    trainer.add(*injector);
  }

  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t n = 0; n < command.steps; ++n) {
    const TrainerProgress progress = trainer.step();
    if (!command.quiet) print_progress(progress);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  dumper.close();
  if (injector) {
    const bool changed = injector->changed().value_or(false);
    fmt::print("injected {} behind {}: {}\n", injector->injection().text(), injector->maker(),
               changed ? "bytes changed" : "no byte changed");
  }
  fmt::print("{} steps, {:.1f} a second, backend {}, schedule seed {} ({})\n", command.steps,
             static_cast<double>(command.steps) / seconds.count(), backend_name(),
             *command.schedule_seed, schedule_text());
  fmt::print("state {}\n", format_digest(trainer.state_digest()));
  return 0;
}

void print_variants() {
  for (const KernelVariant& variant : kernel_variants()) {
    fmt::print("{}={}\n    {}\n", variant.kernel, variant.name, variant.defect);
  }
}

void print_injections() {
  fmt::print("kinds: {}\nbuffers:\n", fmt::join(injection_kinds(), ", "));
  const Profile profile = trainer_profile({});
  for (const ProfileBuffer& buffer : profile.buffers) {
    if (buffer.launch >= 0) fmt::print("  {} ({})\n", buffer.name, buffer.group);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Command command;
  CLI::App app(kAbout, kProgram);
  app.footer(kFooter);
  app.set_version_flag("--version", fmt::format("{} {}", kProgram, FOXHUNT_VERSION));
  add_options(app, command);
  return run_program(app, argc, argv, [&] {
    if (command.variants == std::vector<std::string>{"help"}) {
      print_variants();
      return 0;
    }
    if (command.inject == "help") {
      print_injections();
      return 0;
    }
    if (command.backend != backend_name()) become_backend(command.backend, argv);
    return train(command);
  });
}
