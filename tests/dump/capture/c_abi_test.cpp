// SPDX-License-Identifier: MIT
// The C ABI, as a C program sees it (c_trainer.c), and what the shared library exports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/dump/capture/probe.h"
#include "tests/dump/capture/written_run.h"
#include "tests/support/temporary_directory.h"

namespace foxhunt::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class CTrainer : public testing::Test {
 protected:
  ProbeResult run(const std::string& what, const std::string& gate = "1") {
    Probe probe;
    probe.arguments = {FOXHUNT_C_TRAINER, what};
    probe.environment = {{"FOXHUNT_DETERMINISM_DEBUG_BACKWARD", gate},
                         {"FOXHUNT_DETERMINISM_DIR", directory_ / "run"}};
    ProbeResult result = run_probe(probe, directory_.path());
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    return result;
  }
  WrittenRun written() const { return read_written_run(directory_ / "run"); }

  TemporaryDirectory directory_;
};

TEST_F(CTrainer, RecordsARun) {
  run("train");
  const WrittenRun written_run = written();
  EXPECT_THAT(written_run.mistakes, IsEmpty());
  EXPECT_THAT(written_run.step_numbers(), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(written_run.steps[0].names(), "m/params_in g/x q/extra g/x@1 h/loss@1 m/params");
  EXPECT_EQ(written_run.steps[1].names(), "g/x q/extra g/x@1 h/loss@1 m/params");
  EXPECT_EQ(written_run.steps[0].find("extra")->shape, "2x4");
  ASSERT_TRUE(written_run.end);
  const Profile& profile = written_run.manifest->profile;
  EXPECT_EQ(profile.name, "c-trainer");
  EXPECT_EQ(written_run.manifest->provenance.at("backend"), "c");
  const ProfileBuffer& x = profile.buffers.at(static_cast<std::size_t>(profile.find("x")));
  EXPECT_TRUE(x.order_free);
  EXPECT_EQ(x.valid_extent.at(1).size, 3u);
  EXPECT_EQ(x.shape.at(0).symbol, "B");
  EXPECT_EQ(profile.launches.at(1).site, "a");
  EXPECT_EQ(profile.launches.at(1).inputs.at(1).lag, 1);
  EXPECT_EQ(profile.makers.at(1).advice, "look there");
}

TEST_F(CTrainer, DoesNothingDisarmed) {
  run("disarmed", "0");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "run"));
}

TEST_F(CTrainer, LeavesAnAbandonedStepOut) {
  run("abandon");
  EXPECT_FALSE(written().end);
}

TEST_F(CTrainer, IsToldWhatWasWrongWithANote) {
  run("name");
  EXPECT_FALSE(written().end);
}

TEST_F(CTrainer, IsToldWhatWasWrongWithADescription) { run("description"); }

#ifndef FOXHUNT_HAVE_CUDA
TEST_F(CTrainer, IsToldThatThisBuildHasNoCuda) { run("device"); }
#endif

TEST(SharedLibrary, ExportsTheSymbolsOfTheCAbiAndNothingElse) {
  const TemporaryDirectory directory;
  Probe nm;
  nm.arguments = {FOXHUNT_NM, "-D", "--defined-only", FOXHUNT_SHARED_LIBRARY};
  const ProbeResult result = run_probe(nm, directory.path());
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  std::istringstream lines(result.output);
  std::size_t symbols = 0;
  for (std::string address, type, name; lines >> address >> type >> name; ++symbols) {
    EXPECT_TRUE(name.starts_with("foxhunt_")) << name;
    EXPECT_EQ(type, name == "foxhunt_armed_state" ? "D" : "T") << name;
  }
  EXPECT_EQ(symbols, std::size_t{FOXHUNT_ABI_SYMBOLS});
}

}  // namespace
}  // namespace foxhunt::test
