// SPDX-License-Identifier: MIT
#include "dump/capture/dumper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <thread>

#include "tests/dump/capture/dumper_fixture.h"
#include "tests/support/test_seed.h"

namespace foxhunt::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Notes everything in the profile, twice what is made in each update.
void train_one_step(Dumper& dumper, std::uint64_t number, int updates = 1) {
  StepScope step = dumper.step(number);
  note(step, "params_in", 20);
  for (int update = 0; update < updates; ++update) {
    if (update > 0) step.next_update();
    note(step, "x", 32);
    note(step, "tokens", 24);
    note(step, "y", 12);
  }
  note(step, "params", 20);
}

TEST_F(DumperTest, RecordsTheStepsAskedForInExecutionOrder) {
  Dumper dumper = open();
  ASSERT_TRUE(dumper.armed());
  EXPECT_EQ(dumper.directory(), path());
  for (std::uint64_t n = 0; n < 6; ++n) train_one_step(dumper, n);
  dumper.close();
  EXPECT_EQ(trouble(), "");
  const WrittenRun written = run();
  EXPECT_THAT(written.mistakes, IsEmpty());
  EXPECT_THAT(written.step_numbers(), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(written.steps[0].names(), "m/params_in g/x g/tokens h/y m/params");
  EXPECT_EQ(written.steps[1].names(), "g/x g/tokens h/y m/params");
  ASSERT_TRUE(written.end);
  EXPECT_EQ(written.end->state, EndState::complete);
}

TEST_F(DumperTest, SaysOnceWhereItDumps) {
  Dumper dumper = open();
  for (std::uint64_t n = 0; n < 6; ++n) train_one_step(dumper, n);
  dumper.close();
  EXPECT_THAT(messages(), ElementsAre("foxhunt: dumping steps 0-3 (full) to " + path().string()));
}

TEST_F(DumperTest, WritesTheBytesAsTheyStoodWhenNoted) {
  auto rng = test_rng(1);
  std::vector<std::string> expected;
  set("STEPS", "all");
  {
    Dumper dumper = open();
    // Around the sizes of a chunk, its padding, and of what the helper thread hashes.
    for (std::uint64_t n = 0; const std::uint64_t rows : {0u, 1u, 64u, 1023u, 1024u, 1025u, 16383u,
                                                          16384u, 16385u, 300'001u}) {
      std::string bytes(rows * 16, '\0');
      for (char& c : bytes) c = static_cast<char>(rng());
      StepScope step = dumper.step(n++);
      step.note_host("x", bytes.data(), bytes.size());
      expected.push_back(bytes);
      std::fill(bytes.begin(), bytes.end(), '!');
    }
  }
  const WrittenRun written = run();
  EXPECT_THAT(written.mistakes, IsEmpty());
  ASSERT_EQ(written.steps.size(), expected.size());
  for (std::size_t i = 0; i < written.steps.size(); ++i) {
    EXPECT_EQ(written.steps[i].records[0].bytes, expected[i]);
  }
}

TEST_F(DumperTest, BecomesCompleteWithTheLastStepThatCanBeAskedFor) {
  set("STEPS", "1,3");
  Dumper dumper = open();
  for (std::uint64_t n = 0; n < 3; ++n) train_one_step(dumper, n);
  EXPECT_FALSE(run().end);
  EXPECT_TRUE(FOXHUNT_ARMED());
  train_one_step(dumper, 3);
  EXPECT_TRUE(run().end);
  EXPECT_FALSE(FOXHUNT_ARMED());
  train_one_step(dumper, 4);
  dumper.close();
  EXPECT_THAT(run().step_numbers(), ElementsAre(1, 3));
  EXPECT_EQ(trouble(), "");
}

TEST_F(DumperTest, IsCompletedByItsDestructorWhereverTheTrainerStops) {
  set("STEPS", "all");
  {
    Dumper dumper = open();
    for (std::uint64_t n = 0; n < 2; ++n) train_one_step(dumper, n);
    EXPECT_FALSE(run().end);
  }
  EXPECT_EQ(run().end->committed_steps, 2u);
}

TEST_F(DumperTest, StaysOpenWhenAnExceptionUnwindsThroughIt) {
  set("STEPS", "all");
  try {
    Dumper dumper = open();
    train_one_step(dumper, 0);
    throw std::runtime_error("the trainer failed between two steps");
  } catch (const std::runtime_error&) {
  }
  EXPECT_FALSE(run().end);
  EXPECT_THAT(run().step_numbers(), ElementsAre(0));
  EXPECT_EQ(trouble(), "");
}

TEST_F(DumperTest, DropsAStepThatAnExceptionLeaves) {
  Dumper dumper = open();
  train_one_step(dumper, 0);
  try {
    StepScope step = dumper.step(1);
    note(step, "y", 12);
    throw std::runtime_error("the trainer failed in the middle of a step");
  } catch (const std::runtime_error&) {
  }
  train_one_step(dumper, 2);
  dumper.close();
  EXPECT_FALSE(run().end);
  EXPECT_THAT(run().step_numbers(), ElementsAre(0));
  EXPECT_THAT(trouble(), HasSubstr("step 1 was left by an exception"));
}

// A trainer's clean-up may train: what counts is a new exception, not one that was there before.
TEST_F(DumperTest, RecordsWhileAnOlderExceptionUnwinds) {
  struct OnLeave {
    std::function<void()> action;
    ~OnLeave() { action(); }
  };
  try {
    const OnLeave record{[this] {
      Dumper dumper = open();
      train_one_step(dumper, 0);
    }};
    throw std::runtime_error("unwinds");
  } catch (const std::runtime_error&) {
  }
  EXPECT_THAT(run().step_numbers(), ElementsAre(0));
  EXPECT_TRUE(run().end);
}

TEST_F(DumperTest, NumbersTheUpdatesOfAStep) {
  Dumper dumper = open();
  train_one_step(dumper, 0, 3);
  const WrittenRun written = run();
  EXPECT_EQ(written.steps.at(0).names(),
            "m/params_in g/x g/tokens h/y g/x@1 g/tokens@1 h/y@1 g/x@2 g/tokens@2 h/y@2 m/params");
  EXPECT_THAT(written.files, testing::IsSupersetOf({"step_0_g_x.bin", "step_0_k1_g_x.bin",
                                                    "step_0_k2_h_y.bin", "step_0_m_params.bin"}));
}

TEST_F(DumperTest, KeepsOnlyTheGroupsAndNamesAskedFor) {
  set("GROUPS", "g,h");
  set("EXCLUDE", "^tok");
  Dumper dumper = open();
  train_one_step(dumper, 0);
  EXPECT_EQ(run().steps.at(0).names(), "m/params_in g/x h/y");
}

TEST_F(DumperTest, KeepsOnlyTheNamesIncluded) {
  set("INCLUDE", "x|y");
  Dumper dumper = open();
  train_one_step(dumper, 0);
  EXPECT_EQ(run().steps.at(0).names(), "m/params_in g/x h/y");
}

TEST_F(DumperTest, CapturesCarriedInStateAsADigestAtTheFirstStepOfEachWindow) {
  set("STEPS", "1-2,5");
  Dumper dumper = open();
  for (std::uint64_t n = 0; n < 6; ++n) train_one_step(dumper, n);
  const WrittenRun written = run();
  EXPECT_THAT(written.mistakes, IsEmpty());
  ASSERT_THAT(written.step_numbers(), ElementsAre(1, 2, 5));
  EXPECT_EQ(written.steps[0].find("params_in")->record.form, Form::digest);
  EXPECT_EQ(written.steps[0].find("params")->record.form, Form::full);
  EXPECT_EQ(written.steps[1].find("params_in"), nullptr);
  EXPECT_NE(written.steps[2].find("params_in"), nullptr);
}

TEST_F(DumperTest, StartsAWindowAtTheFirstStepThatTheTrainerRuns) {
  Dumper dumper = open();
  StepScope step = dumper.step(2);  // resumed from a checkpoint; 0-3 is asked for
  EXPECT_TRUE(step.starts_window());
  step.close();
  step = dumper.step(3);
  EXPECT_FALSE(step.starts_window());
}

TEST_F(DumperTest, KeepsCarriedInPayloadsWhereTheirGroupIsNamed) {
  set("GROUPS", "m");
  Dumper dumper = open();
  train_one_step(dumper, 0);
  EXPECT_EQ(run().steps.at(0).find("params_in")->record.form, Form::full);
}

TEST_F(DumperTest, LeavesCarriedInStateOutWhereItIsExcluded) {
  set("EXCLUDE", "_in$");
  Dumper dumper = open();
  train_one_step(dumper, 0);
  EXPECT_EQ(run().steps.at(0).names(), "g/x g/tokens h/y m/params");
}

TEST_F(DumperTest, WritesNoPayloadInDigestMode) {
  set("MODE", "digest");
  Dumper dumper = open();
  for (std::uint64_t n = 0; n < 4; ++n) train_one_step(dumper, n);
  const WrittenRun written = run();
  EXPECT_THAT(written.mistakes, IsEmpty());
  EXPECT_EQ(written.steps.size(), 4u);
  EXPECT_THAT(written.files,
              ElementsAre(kChunkWordsFile, kMarkerFile, kManifestFile, kStepLogFile));
  EXPECT_EQ(written.manifest->mode, DumpMode::digest);
}

TEST_F(DumperTest, DigestsAreTheSameInBothModes) {
  Dumper full = open();
  train_one_step(full, 0);
  set("MODE", "digest");
  set("DIR", directory_ / "other");
  Dumper digest = open();
  train_one_step(digest, 0);
  const WrittenRun a = run(), b = read_written_run(directory_ / "other");
  for (const char* const name : {"x", "tokens", "y", "params_in"}) {
    EXPECT_EQ(a.steps.at(0).find(name)->record.chunked, b.steps.at(0).find(name)->record.chunked);
  }
}

TEST_F(DumperTest, TakesAnUnboundOutermostExtentFromTheBytes) {
  Dumper dumper = open();
  train_one_step(dumper, 0);
  EXPECT_EQ(run().steps.at(0).find("x")->shape, "2x4");
}

TEST_F(DumperTest, RecordsABufferThatIsDescribedOnTheSpot) {
  Dumper dumper = open();
  {
    StepScope step = dumper.step(0);
    const std::vector<std::uint16_t> data(6, 7);
    step.note_host({"z", 'i', DType::bf16, {2, 3}}, data.data());
    step.note_host({"loss", 'q', DType::f64, {}}, "12345678");
    step.note_host({"empty", 'q', DType::u8, {0, 7}}, nullptr);
  }
  const WrittenRun written = run();
  EXPECT_THAT(written.mistakes, IsEmpty());
  EXPECT_EQ(written.steps.at(0).names(), "i/z q/loss q/empty");
  EXPECT_EQ(written.steps[0].find("z")->shape, "2x3");
  EXPECT_EQ(written.steps[0].find("loss")->shape, "-");
  EXPECT_EQ(written.steps[0].find("loss")->bytes, "12345678");
  EXPECT_EQ(trouble(), "");
}

TEST_F(DumperTest, RecordsEveryDType) {
  Dumper dumper = open();
  const std::vector<char> data(64, 'q');
  {
    StepScope step = dumper.step(0);
    for (const DType dtype : kAllDTypes) {
      const std::string name = "t_" + std::string(dtype_name(dtype));
      step.note_host({name, 'q', dtype, {4}}, data.data());
    }
  }
  const WrittenRun written = run();
  EXPECT_THAT(written.mistakes, IsEmpty());
  ASSERT_EQ(written.steps.at(0).records.size(), std::size(kAllDTypes));
  for (std::size_t i = 0; i < std::size(kAllDTypes); ++i) {
    EXPECT_EQ(written.steps[0].records[i].record.dtype, kAllDTypes[i]);
    EXPECT_EQ(written.steps[0].records[i].bytes.size(), 4 * dtype_size(kAllDTypes[i]));
  }
}

TEST_F(DumperTest, PutsIntoTheManifestWhatExplainsARun) {
  set("GROUPS", "g,m");
  set("INCLUDE", "x|params");
  set("MAX_BYTES", "7M");
  environment_.set("CUBLAS_WORKSPACE_CONFIG", ":4096:8");
  environment_.set("RANK", "1");
  environment_.set("WORLD_SIZE", "2");
  DumperOptions options;
  options.provenance["backend"] = "simt";
  Dumper dumper = open(std::move(options));
  ASSERT_TRUE(dumper.armed());
  EXPECT_EQ(dumper.directory(), path() / "rank_1");
  const Manifest manifest = *read_written_run(path() / "rank_1").manifest;
  EXPECT_EQ(manifest.version, kFormatVersion);
  EXPECT_EQ(manifest.run_id.size(), 32u);
  EXPECT_EQ(manifest.steps, "0-3");
  EXPECT_EQ(manifest.groups, "g,m");
  EXPECT_THAT(manifest.include, ElementsAre("x|params"));
  EXPECT_EQ(manifest.max_bytes, 7'000'000u);
  EXPECT_EQ(manifest.rank, 1u);
  EXPECT_EQ(manifest.world_size, 2u);
  EXPECT_EQ(manifest.provenance.at("backend"), "simt");
  EXPECT_EQ(manifest.provenance.at("env.CUBLAS_WORKSPACE_CONFIG"), ":4096:8");
  EXPECT_NE(manifest.provenance.at("argv"), "");
  EXPECT_EQ(manifest.profile.buffers.size(), profile().buffers.size());
}

TEST_F(DumperTest, GivesEveryRunAnIdOfItsOwn) {
  Dumper a = open();
  set("DIR", directory_ / "other");
  Dumper b = open();
  EXPECT_NE(run().manifest->run_id, read_written_run(directory_ / "other").manifest->run_id);
}

TEST_F(DumperTest, TakesNotesFromSeveralThreads) {
  Dumper dumper = open();
  constexpr int kThreads = 4, kEach = 50;
  {
    StepScope step = dumper.step(0);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&step, t] {
        const std::vector<char> data(300'000, static_cast<char>('a' + t));
        for (int i = 0; i < kEach; ++i) {
          const std::string name = fmt::format("b_{}_{}", t, i);
          const std::uint64_t bytes = i % 10 == 0 ? data.size() : 100;
          step.note_host({name, 'q', DType::u8, {bytes}}, data.data());
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(trouble(), "");
  const WrittenRun written = run();
  EXPECT_THAT(written.mistakes, IsEmpty());
  ASSERT_EQ(written.steps.at(0).records.size(), std::size_t{kThreads * kEach});
  for (int t = 0; t < kThreads; ++t) {
    const WrittenRecord* const r = written.steps[0].find(fmt::format("b_{}_10", t));
    ASSERT_NE(r, nullptr);
    EXPECT_EQ(r->bytes, std::string(300'000, static_cast<char>('a' + t)));
  }
}

TEST_F(DumperTest, LeavesNothingOfTheStepInWhichItReachedTheLimit) {
  set("MAX_BYTES", "60k");
  Dumper dumper = open();
  train_one_step(dumper, 0);
  {
    StepScope step = dumper.step(1);
    note(step, "y", 12);
    EXPECT_TRUE(std::filesystem::exists(path() / "step_1_h_y.bin"));
    note(step, "x", 64'000);
    note(step, "tokens", 24);
  }
  const WrittenRun written = run();
  EXPECT_THAT(written.mistakes, IsEmpty());
  EXPECT_THAT(written.step_numbers(), ElementsAre(0));
  EXPECT_EQ(written.end->state, EndState::cut);
  EXPECT_THAT(written.files, testing::Each(testing::Not(testing::StartsWith("step_1_"))));
  EXPECT_THAT(trouble(), HasSubstr("is reached at x of step 1"));
  EXPECT_FALSE(dumper.trouble());
}

TEST_F(DumperTest, MovesLikeAValue) {
  Dumper first = open();
  Dumper second = std::move(first);
  EXPECT_FALSE(first.armed());  // NOLINT: moved from on purpose
  StepScope outer;
  {
    StepScope step = second.step(0);
    outer = std::move(step);
  }
  note(outer, "y", 12);
  outer.close();
  note(outer, "x", 16);  // ignored
  second = Dumper();
  EXPECT_EQ(run().steps.at(0).names(), "h/y");
  EXPECT_TRUE(run().end);
  EXPECT_EQ(trouble(), "");
}

}  // namespace
}  // namespace foxhunt::test
