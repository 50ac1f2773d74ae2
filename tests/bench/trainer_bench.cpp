// SPDX-License-Identifier: MIT
// What the reference trainer does on the CPU executor, plain build: steps a second at two sizes,
// and what recording digests costs of the larger one.
#include <fmt/format.h>
#include <stdlib.h>
#include <time.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "dump/format/error.h"
#include "tests/bench/row.h"
#include "tests/support/temporary_directory.h"
#include "trainer_hooks/reference/backend.h"
#include "trainer_hooks/reference/integrated_trainer.h"

namespace foxhunt::bench {
namespace {

// Of all threads of this process, so that what else runs on the machine does not count.
double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_for(IntegratedTrainer& trainer, int steps) {
  const double start = processor_seconds();
  for (int n = 0; n < steps; ++n) trainer.step();
  return processor_seconds() - start;
}

TrainerOptions sized(int batch, int hidden, int window, int width) {
  TrainerOptions options;
  options.sizes.batch = batch;
  options.sizes.hidden = hidden;
  options.sizes.window = window;
  options.sizes.width = width;
  return options;
}

double steps_a_second(const TrainerOptions& options, const Market& market, int rounds, int steps) {
  Dumper disarmed;
  IntegratedTrainer trainer(options, market, disarmed);
  trainer.step();
  std::vector<double> rates;
  for (int i = 0; i < rounds; ++i) rates.push_back(steps / seconds_for(trainer, steps));
  return median(rates);
}

// Blocks of recorded steps and of others, in turn, in one trainer: how much longer a block of them
// takes than the two beside it. The first step of each is left out: it captures the state carried
// in, once a window.
double cost_of_recording(const TrainerOptions& options, const Market& market, int blocks,
                         int steps) {
  const test::TemporaryDirectory directory;
  std::string recorded;
  for (int block = 1; block < 2 * blocks; block += 2) {
    const int first = 1 + block * (steps + 1);
    recorded += fmt::format("{}{}-{}", recorded.empty() ? "" : ",", first, first + steps);
  }
  ::setenv("FOXHUNT_DETERMINISM_DEBUG_BACKWARD", "1", 1);
  ::setenv("FOXHUNT_DETERMINISM_DIR", (directory / "run").c_str(), 1);
  ::setenv("FOXHUNT_DETERMINISM_STEPS", recorded.c_str(), 1);
  ::setenv("FOXHUNT_DETERMINISM_MODE", "digest", 1);
  DumperOptions dumping;
  dumping.device = make_backend_queue;
  dumping.message = [](std::string_view) {};
  Dumper dumper =
      Dumper::from_environment([&] { return trainer_profile(options.sizes); }, std::move(dumping));
  FOXHUNT_ASSERT(dumper.armed());

  IntegratedTrainer trainer(options, market, dumper);
  trainer.step();
  std::vector<double> times;
  for (int block = 0; block <= 2 * blocks; ++block) {
    trainer.step();
    times.push_back(seconds_for(trainer, steps));
  }
  FOXHUNT_ASSERT(!dumper.trouble());
  std::vector<double> ratios;
  for (std::size_t i = 1; i + 1 < times.size(); i += 2) {
    ratios.push_back(2 * times[i] / (times[i - 1] + times[i + 1]));
  }
  return median(ratios);
}

void run(bool quick) {
  const Market market = load_market(FOXHUNT_REFERENCE_DATA);
  const TrainerOptions tiny = sized(8, 16, 4, 16), usual = sized(64, 64, 16, 32);
  print({"trainer, batch 8, hidden 16, window 4, width 16",
         steps_a_second(tiny, market, quick ? 1 : 9, quick ? 5 : 100),
         "steps/s",
         150,
         {},
         false});
  print({"trainer, batch 64, hidden 64, window 16",
         steps_a_second(usual, market, quick ? 1 : 5, quick ? 1 : 8),
         "steps/s",
         8,
         {},
         false});
  print({"the same, digests of every step recorded",
         cost_of_recording(usual, market, quick ? 1 : 15, quick ? 1 : 3),
         "x",
         1.03,
         {},
         true});
}

}  // namespace
}  // namespace foxhunt::bench

int main(int argc, char** argv) {
  foxhunt::bench::run(argc > 1 && std::strcmp(argv[1], "--quick") == 0);
}
