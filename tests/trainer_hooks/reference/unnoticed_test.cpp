// SPDX-License-Identifier: MIT
// Recording a run does not change it, not even where a defect makes it depend on the schedule.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "kernels/simt/schedule.h"
#include "tests/dump/capture/dumper_fixture.h"
#include "tests/trainer_hooks/reference/tiny_trainer.h"
#include "trainer_hooks/reference/backend.h"
#include "trainer_hooks/reference/campaign_run.h"

namespace foxhunt::test {
namespace {

class RecordedTrainer : public DumperTest {
 protected:
  Digest128 train(std::uint64_t seed, const TrainerOptions& options, bool armed) {
    const simt::ScheduleScope restore{simt::Schedule{}};
    set("STEPS", "all");
    follow_schedule(seed);
    const std::filesystem::path run = scratch_.fresh("run");
    set("DIR", run.string());
    DumperOptions dumping;
    dumping.device = make_backend_queue;
    dumping.message = [](std::string_view) {};
    const auto profile = [&] { return trainer_profile(options.sizes); };
    Dumper dumper = armed ? Dumper::from_environment(profile, std::move(dumping)) : Dumper();
    IntegratedTrainer trainer(options, index_prices(), dumper);
    for (int n = 0; n < 3; ++n) trainer.step();
    dumper.close();
    EXPECT_EQ(std::filesystem::exists(run / "foxhunt-end.json"), armed);
    return trainer.state_digest();
  }

 private:
  const ScratchDirectory scratch_{""};  // a disk would cost more than all the training
};

TEST_F(RecordedTrainer, EndsInTheBitsOfOneThatNobodyWatches) {
  // The kernels of which a schedule's draws between streams, and within a launch, decide the bits.
  const char* const defects[] = {
      "", "rl_per_push_flush=unsynced_staging,rl_noisy_linear_forward=resample_overlap",
      "outcome_label_upload=upload_overwritten,grad_h_accumulate_scaled=stale_lambda",
      "reduce_axis0=float_atomics"};
  std::map<std::string, std::set<std::string>> outcomes;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    TrainerOptions options = tiny_options();
    const char* const defect = defects[seed % std::size(defects)];
    if (*defect != '\0') options.variants.choose(defect);
    set("MODE", seed / 4 % 2 == 0 ? "full" : "digest");
    const Digest128 watched = train(seed, options, true);
    ASSERT_EQ(watched, train(seed, options, false)) << "schedule seed " << seed << " " << defect;
    outcomes[defect].insert(format_digest(watched));
  }
  for (const auto& [defect, bits] : outcomes) {
    // With one bit pattern only there would be nothing that watching could have changed.
    EXPECT_EQ(bits.size() > 5, !defect.empty()) << defect;
  }
}

}  // namespace
}  // namespace foxhunt::test
