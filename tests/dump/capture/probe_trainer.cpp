// SPDX-License-Identifier: MIT
// A trainer for tests of whole processes: it computes something, dumps it when armed, prints what
// came out, and exits with 7. Nothing that happens to the dumper may change either.
//
//   probe_trainer STEPS BYTES [remove@STEP | fork@STEP] ...
//
//   remove@STEP   removes the run directory in the middle of that step
//   fork@STEP     forks in the middle of that step; the child trains to the end as well
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "dump/capture/dumper.h"

namespace {

using foxhunt::DType;
using foxhunt::Dumper;
using foxhunt::Profile;
using foxhunt::ProfileBuilder;
using foxhunt::StepScope;

Profile profile() {
  ProfileBuilder p("probe");
  p.buffer("large", 'g', DType::u64, {"N"}).buffer("small", 'h', DType::u64, {4});
  p.launch("mix").reads("large", 1).makes("large");
  p.launch("sum").reads("large").makes("small");
  return p.build();
}

class Trainer {
 public:
  explicit Trainer(std::size_t bytes) : large_(bytes / 8, 1) {}

  void mix(std::uint64_t step) {
    for (auto& word : large_) word = word * 6364136223846793005u + step;
  }
  void sum() {
    for (std::size_t i = 0; i < large_.size(); ++i) small_[i % 4] += large_[i];
  }
  void note_large(StepScope& step) const {
    FOXHUNT_HOOK(step.note_host("large", large_.data(), large_.size() * 8));
  }
  void note_small(StepScope& step) const { FOXHUNT_HOOK(step.note_host("small", small_, 32)); }
  std::uint64_t result() const { return small_[0] ^ small_[1] ^ small_[2] ^ small_[3]; }

 private:
  std::vector<std::uint64_t> large_;
  std::uint64_t small_[4] = {};
};

}  // namespace

int main(int argc, char** argv) {
  const auto steps = std::strtoull(argv[1], nullptr, 10);
  const auto bytes = std::strtoull(argv[2], nullptr, 10);
  bool is_child = false;
  Trainer trainer(bytes);
  {
    Dumper dumper = Dumper::from_environment(profile);
    for (std::uint64_t n = 0; n < steps; ++n) {
      StepScope step = dumper.step(n);
      trainer.mix(n);
      trainer.note_large(step);
      for (int i = 3; i < argc; ++i) {
        const std::string action = argv[i];
        if (action == "remove@" + std::to_string(n)) {
          std::filesystem::remove_all(dumper.directory());
        }
        if (action == "fork@" + std::to_string(n) && !is_child) {
          std::fflush(stdout);
          if (fork() == 0) is_child = true;
        }
      }
      trainer.sum();
      trainer.note_small(step);
    }
    dumper.close();
  }
  int child_status = 0;
  if (!is_child && wait(&child_status) > 0 && WEXITSTATUS(child_status) != 7) return 1;
  std::printf("%016llx\n", static_cast<unsigned long long>(trainer.result()));
  return 7;
}
