// SPDX-License-Identifier: MIT
#include "kernels/simt/explore/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "dump/format/error.h"
#include "tests/support/temporary_directory.h"

namespace foxhunt {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class ExploreCommandTest : public ::testing::Test {
 protected:
  // A program that does what this shell script says.
  std::string program(const std::string& name, const std::string& script) {
    const std::filesystem::path file = directory_.path() / name;
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file.string();
  }
  std::string problem(const ExploreCommand& command) {
    try {
      explore_command(command);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  test::TemporaryDirectory directory_;
  ExploreCommand command_;
};

TEST_F(ExploreCommandTest, PassesOnWhatWasAsked) {
  command_.target = "sums";
  command_.only = "tree";
  command_.seed = 7;
  command_.policy = "walk";
  command_.json = true;
  command_.keep_trace = false;
  const std::vector<std::string> arguments = target_arguments(command_);
  for (const char* argument : {"target=sums", "case=tree", "schedules=32", "seed=7", "policy=walk",
                               "json=1", "keep-trace=0"}) {
    EXPECT_THAT(arguments, Contains(argument));
  }
  EXPECT_THAT(arguments, Not(Contains(HasSubstr("replay"))));
}

TEST_F(ExploreCommandTest, RunsTheRaceBuildOnceUnlessTold) {
  command_.race = true;
  EXPECT_THAT(target_arguments(command_), Contains("schedules=1"));
  command_.schedules = 5;
  EXPECT_THAT(target_arguments(command_), Contains("schedules=5"));
}

TEST_F(ExploreCommandTest, PrintsTheReportAndNotWhatTheProgramPrints) {
  command_.target = program("target", "echo chatter; echo the report >&3; exit 1");
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(explore_command(command_), 1);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "the report\n");
}

TEST_F(ExploreCommandTest, RunsTheRaceBuildBesideTheTarget) {
  command_.target = program("target", "exit 0");
  command_.race = true;
  EXPECT_THAT(problem(command_), HasSubstr("target-race"));
  program("target-race", "exit 1");
  EXPECT_EQ(explore_command(command_), 1);
}

TEST_F(ExploreCommandTest, GivesNoVerdictForAProgramThatDies) {
  command_.target = program("target", "kill -SEGV $$");
  EXPECT_THAT(problem(command_), HasSubstr("signal 11"));
  command_.target = program("other", "exit 66");
  EXPECT_THAT(problem(command_), HasSubstr("exited 66"));
}

TEST_F(ExploreCommandTest, SaysWhichProgramIsMissing) {
  command_.target = (directory_.path() / "nothing").string();
  EXPECT_THAT(problem(command_), HasSubstr("nothing: no program"));
  command_.target = directory_.path().string();
  EXPECT_THAT(problem(command_), HasSubstr("no program"));
}

}  // namespace
}  // namespace foxhunt
