// SPDX-License-Identifier: MIT
// A trainer as a whole process: whatever happens to its dumper, its results and its exit code stay
// what they are without one, and one message says what happened.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "dump/format/manifest.h"
#include "tests/dump/capture/probe.h"
#include "tests/dump/capture/written_run.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_seed.h"

namespace foxhunt::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class TrainerProcess : public testing::Test {
 protected:
  std::filesystem::path path() const { return directory_ / "run"; }
  WrittenRun run() const { return read_written_run(path()); }

  // An armed trainer.
  Probe trainer(const std::string& steps, const std::string& bytes,
                const std::vector<std::string>& actions = {}) const {
    Probe probe;
    probe.arguments = {FOXHUNT_PROBE_TRAINER, steps, bytes};
    probe.arguments.insert(probe.arguments.end(), actions.begin(), actions.end());
    probe.environment = {{"FOXHUNT_DETERMINISM_DEBUG_BACKWARD", "1"},
                         {"FOXHUNT_DETERMINISM_DIR", path()}};
    return probe;
  }
  ProbeResult result_of(const Probe& probe) const { return run_probe(probe, directory_.path()); }

  // What the same trainer does disarmed.
  ProbeResult undisturbed(Probe probe) const {
    probe.environment.clear();
    probe.before = nullptr;
    return result_of(probe);
  }

  // Runs it, expects it to end as if it were disarmed, and returns what it said but for the
  // directory's name.
  std::vector<std::string> troubles_of(const Probe& probe) const {
    const ProbeResult expected = undisturbed(probe), result = result_of(probe);
    could_start_ = result.could_start;
    if (!could_start_) return {};
    EXPECT_EQ(expected.exit_code, 7);
    EXPECT_EQ(expected.errors, "");
    EXPECT_EQ(result.signal, 0);
    EXPECT_EQ(result.exit_code, 7);
    EXPECT_EQ(result.output, expected.output);
    auto messages = result.messages();
    std::erase_if(messages, [](const std::string& text) {
      return text.starts_with("foxhunt: dumping steps");
    });
    return messages;
  }

  TemporaryDirectory directory_;
  mutable bool could_start_ = true;
};

TEST_F(TrainerProcess, RecordsWithoutBeingDisturbed) {
  EXPECT_THAT(troubles_of(trainer("6", "1000000")), IsEmpty());
  EXPECT_THAT(run().mistakes, IsEmpty());
  EXPECT_THAT(run().step_numbers(), ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(run().end);
}

TEST_F(TrainerProcess, LeavesNothingBehindDisarmed) {
  for (const char* const gate : {"", "0"}) {
    Probe probe = trainer("6", "1000");
    probe.environment["FOXHUNT_DETERMINISM_DEBUG_BACKWARD"] = gate;
    EXPECT_THAT(troubles_of(probe), IsEmpty());
    EXPECT_FALSE(std::filesystem::exists(path()));
  }
}

TEST_F(TrainerProcess, SaysOnceThatTheGateIsNeitherOnNorOff) {
  Probe probe = trainer("6", "1000");
  probe.environment["FOXHUNT_DETERMINISM_DEBUG_BACKWARD"] = "on";
  EXPECT_THAT(troubles_of(probe), ElementsAre(HasSubstr("neither 1")));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(TrainerProcess, SurvivesAFileSizeLimit) {
  Probe probe = trainer("6", "100000");
  probe.before = [] {
    const rlimit limit{50'000, 50'000};
    return setrlimit(RLIMIT_FSIZE, &limit) == 0;
  };
  EXPECT_THAT(troubles_of(probe),
              ElementsAre(AllOf(HasSubstr("step_0_g_large.bin"), HasSubstr("File too large"),
                                HasSubstr("the dumper is off"))));
  EXPECT_THAT(run().step_numbers(), IsEmpty());
  EXPECT_FALSE(run().end);
}

TEST_F(TrainerProcess, KeepsTheStepsBeforeAFileSizeLimitMetByTheLog) {
  Probe probe = trainer("100", "64");
  probe.environment["FOXHUNT_DETERMINISM_STEPS"] = "0-99";
  probe.before = [] {
    const rlimit limit{8'000, 8'000};
    return setrlimit(RLIMIT_FSIZE, &limit) == 0;
  };
  EXPECT_THAT(troubles_of(probe),
              ElementsAre(AllOf(HasSubstr(kStepLogFile), HasSubstr("File too large"))));
  const WrittenRun written = run();
  EXPECT_THAT(written.mistakes, IsEmpty());
  EXPECT_GT(written.steps.size(), 10u);
  EXPECT_LT(written.steps.size(), 100u);
  EXPECT_FALSE(written.end);
}

TEST_F(TrainerProcess, SurvivesAFullDisk) {
  std::filesystem::create_directories(directory_ / "disk");
  std::filesystem::create_directories(directory_ / "saved");
  const std::filesystem::path disk = directory_ / "disk", saved = directory_ / "saved";
  Probe probe = trainer("6", "300000");
  probe.environment["FOXHUNT_DETERMINISM_DIR"] = disk / "run";
  // The disk goes with its process, so that somebody has to save what is on it.
  probe.before = [disk, saved] {
    if (!mount_small_disk(disk, 1'000'000, /*read_only=*/false)) return false;
    const pid_t trainer_process = fork();
    if (trainer_process == 0) return true;
    int status = 0;
    waitpid(trainer_process, &status, 0);
    std::filesystem::copy(disk / "run", saved / "run");
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
  };
  const auto troubles = troubles_of(probe);
  if (!could_start_) GTEST_SKIP() << "needs the right to mount a file system";
  ASSERT_THAT(troubles, SizeIs(2));
  EXPECT_THAT(troubles[0], AllOf(HasSubstr("asked for, but the disk"), HasSubstr("leaves room")));
  EXPECT_THAT(troubles[1],
              AllOf(HasSubstr("No space left on device"), HasSubstr("the dumper is off")));
  const WrittenRun written = read_written_run(saved / "run");
  EXPECT_THAT(written.mistakes, IsEmpty());
  EXPECT_THAT(written.step_numbers(), ElementsAre(0, 1, 2));
  EXPECT_FALSE(written.end);
}

TEST_F(TrainerProcess, SurvivesADiskThatIsReadOnly) {
  std::filesystem::create_directories(directory_ / "disk");
  const std::filesystem::path disk = directory_ / "disk";
  Probe probe = trainer("6", "1000");
  probe.environment["FOXHUNT_DETERMINISM_DIR"] = disk / "run";
  probe.before = [disk] { return mount_small_disk(disk, 1'000'000, /*read_only=*/true); };
  const auto troubles = troubles_of(probe);
  if (!could_start_) GTEST_SKIP() << "needs the right to mount a file system";
  EXPECT_THAT(troubles, ElementsAre(HasSubstr("Read-only file system")));
}

TEST_F(TrainerProcess, SurvivesADirectoryThatCannotBeMade) {
  write_file(path(), "a file in its place");
  EXPECT_THAT(troubles_of(trainer("6", "1000")), ElementsAre(HasSubstr(path().string())));
  EXPECT_EQ(read_file(path()), "a file in its place");
}

TEST_F(TrainerProcess, SurvivesTheRemovalOfItsDirectory) {
  EXPECT_THAT(troubles_of(trainer("6", "1000", {"remove@2"})),
              ElementsAre(AllOf(HasSubstr(path().string()), HasSubstr("the dumper is off"))));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

// Nothing but the log is written there, and writes to a removed file succeed.
TEST_F(TrainerProcess, NoticesTheRemovalOfItsDirectoryInDigestModeToo) {
  Probe probe = trainer("6", "1000", {"remove@2"});
  probe.environment["FOXHUNT_DETERMINISM_MODE"] = "digest";
  EXPECT_THAT(troubles_of(probe),
              ElementsAre(AllOf(HasSubstr("foxhunt-steps.log: has been removed"),
                                HasSubstr("the dumper is off"))));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(TrainerProcess, SurvivesAnErrorStreamThatNobodyReads) {
  Probe probe = trainer("6", "1000", {"remove@2"});
  probe.before = [] {
    int ends[2];
    if (pipe(ends) != 0) return false;
    close(ends[0]);
    return dup2(ends[1], STDERR_FILENO) >= 0;
  };
  EXPECT_THAT(troubles_of(probe), IsEmpty());
}

TEST_F(TrainerProcess, StopsAtTheLimitAndLeavesACutRun) {
  Probe probe = trainer("6", "100000");
  probe.environment["FOXHUNT_DETERMINISM_MAX_BYTES"] = "250k";
  EXPECT_THAT(troubles_of(probe),
              ElementsAre(HasSubstr("FOXHUNT_DETERMINISM_MAX_BYTES=250000 leaves room for 1"),
                          AllOf(HasSubstr("FOXHUNT_DETERMINISM_MAX_BYTES=250000 is reached"),
                                HasSubstr("is cut"))));
  const WrittenRun written = run();
  EXPECT_THAT(written.mistakes, IsEmpty());
  EXPECT_THAT(written.step_numbers(), ElementsAre(0, 1));
  ASSERT_TRUE(written.end);
  EXPECT_EQ(written.end->state, EndState::cut);
  EXPECT_THAT(written.end->reason, HasSubstr("250000"));
  EXPECT_LE(written.bytes_on_disk, 250'000u);
}

TEST_F(TrainerProcess, NeverPassesTheLimitWhateverItIs) {
  for (const std::uint64_t limit : {1u, 1000u, 10'000u, 12'345u, 20'000u, 33'333u, 50'000u}) {
    std::filesystem::remove_all(path());
    Probe probe = trainer("6", "5000");
    probe.environment["FOXHUNT_DETERMINISM_MAX_BYTES"] = std::to_string(limit);
    troubles_of(probe);
    const WrittenRun written = run();
    EXPECT_THAT(written.mistakes, IsEmpty());
    ASSERT_TRUE(written.end);
    if (limit >= 10'000) {  // below, the manifest and the marker alone are more
      EXPECT_LE(written.bytes_on_disk, limit);
    }
  }
}

TEST_F(TrainerProcess, DisarmsAForkedChildInSilence) {
  EXPECT_THAT(troubles_of(trainer("6", "1000000", {"fork@1"})), IsEmpty());
  const WrittenRun written = run();
  EXPECT_THAT(written.mistakes, IsEmpty());
  EXPECT_THAT(written.step_numbers(), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(written.files.size(), 4u + 8u);
}

TEST_F(TrainerProcess, RecordsACommandLineThatIsNoUtf8) {
  Probe probe = trainer("1", "1000", {"caf\xe9 \"x\"\n"});
  EXPECT_THAT(troubles_of(probe), IsEmpty());
  EXPECT_THAT(run().manifest->provenance.at("argv"), HasSubstr("$'caf\\xe9 \"x\"\\x0a'"));
}

TEST_F(TrainerProcess, IsReadableUpToItsLastCommitWheneverItIsKilled) {
  // From before the first file to some steps on, however fast this machine is today.
  const auto before = std::chrono::steady_clock::now();
  ASSERT_EQ(result_of(trainer("4", "400000")).exit_code, 7);
  const auto four_steps = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - before);
  const auto longest = static_cast<std::uint64_t>(std::max<long>(2 * four_steps.count(), 20'000));

  auto rng = test_rng(9);
  std::size_t with_steps = 0, in_the_middle = 0;
  for (int moment = 0; moment < 200; ++moment) {
    std::filesystem::remove_all(path());
    Probe probe = trainer("1000000", moment % 2 == 0 ? "3000" : "400000");
    probe.environment["FOXHUNT_DETERMINISM_STEPS"] = "all";
    run_and_kill(probe, static_cast<unsigned>(rng() % longest));
    if (!std::filesystem::exists(path())) continue;  // killed before it began
    const WrittenRun written = run();
    EXPECT_THAT(written.mistakes, IsEmpty()) << "moment " << moment;
    EXPECT_FALSE(written.end);
    EXPECT_NE(written.tail, StepLogReader::Tail::damaged);
    with_steps += !written.steps.empty();
    // Payloads beyond the last commit: it was in the middle of a step.
    const std::uint64_t committed = written.steps.size();
    const std::string next = fmt::format("step_{}_g_large.bin", committed);
    in_the_middle += std::binary_search(written.files.begin(), written.files.end(), next);
    if (HasFailure()) break;
  }
  // Otherwise the moments were badly chosen for this machine.
  EXPECT_GT(with_steps, 20u);
  EXPECT_GT(in_the_middle, 2u);
}

}  // namespace
}  // namespace foxhunt::test
