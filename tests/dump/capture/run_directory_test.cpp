// SPDX-License-Identifier: MIT
#include "dump/capture/run_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "dump/format/error.h"
#include "tests/dump/capture/dumper_fixture.h"

namespace foxhunt::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Every file below a directory with its bytes.
std::map<std::string, std::string> contents(const std::filesystem::path& directory) {
  std::map<std::string, std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    found[entry.path()] = entry.is_regular_file() ? read_file(entry.path()) : "";
  }
  return found;
}

class RunDirectoryTest : public testing::Test {
 protected:
  static Manifest manifest(std::uint32_t rank = 0, std::uint32_t world_size = 1) {
    Manifest manifest;
    manifest.run_id = std::string(32, '7');
    manifest.started_at = "2026-12-01T03:23:45Z";
    manifest.steps = "0-3";
    manifest.max_bytes = 1;
    manifest.rank = rank;
    manifest.world_size = world_size;
    manifest.profile.name = "empty";
    return manifest;
  }
  std::filesystem::path path() const { return directory_ / "run"; }

  // What is said when `path` is to be claimed, and that nothing changes there.
  std::string refusal(const std::filesystem::path& path, const Manifest& of) {
    const auto before = contents(directory_.path());
    try {
      RunDirectory claimed(path, of);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Errc::bad_argument);
      EXPECT_EQ(contents(directory_.path()), before);
      return e.what();
    }
    ADD_FAILURE() << "was accepted";
    return "";
  }

  TemporaryDirectory directory_;
};

TEST_F(RunDirectoryTest, IsMadeWithItsParentsAndHoldsTheManifest) {
  const RunDirectory made(directory_ / "a/b/run", manifest());
  EXPECT_EQ(manifest_from_json(read_file(directory_ / "a/b/run" / kManifestFile), "").run_id,
            std::string(32, '7'));
}

TEST_F(RunDirectoryTest, MayHoldFilesThatAreNobodysBusiness) {
  std::filesystem::create_directories(path() / "notes");
  write_file(path() / "readme.txt", "mine");
  const RunDirectory made(path(), manifest());
  EXPECT_EQ(read_file(path() / "readme.txt"), "mine");
}

TEST_F(RunDirectoryTest, RefusesABareRun) {
  std::filesystem::create_directories(path());
  write_file(path() / "step_0_g_x.bin", "1234");
  EXPECT_THAT(refusal(path(), manifest()),
              AllOf(HasSubstr("a bare run (step_0_g_x.bin)"), HasSubstr(path().string()),
                    HasSubstr("FOXHUNT_DETERMINISM_DIR")));
}

TEST_F(RunDirectoryTest, RefusesAnOpenRun) {
  { const RunDirectory made(path(), manifest()); }
  EXPECT_THAT(refusal(path(), manifest()), HasSubstr("an open run"));
}

TEST_F(RunDirectoryTest, RefusesAFinishedRun) {
  {
    const RunDirectory made(path(), manifest());
    made.publish(kMarkerFile, "{}");
  }
  EXPECT_THAT(refusal(path(), manifest()), HasSubstr("a finished run"));
}

TEST_F(RunDirectoryTest, RefusesARunOfRanks) {
  { const RunDirectory made(path() / "rank_1", manifest(1, 2)); }
  EXPECT_THAT(refusal(path(), manifest()), HasSubstr("a run of ranks (rank_1/)"));
}

TEST_F(RunDirectoryTest, RefusesADirectoryThatSomebodyElseIsClaiming) {
  std::filesystem::create_directories(path());
  write_file(path() / (std::string(kManifestFile) + ".tmp"), "");
  EXPECT_THAT(refusal(path(), manifest()), HasSubstr("another process starts a run here"));
}

TEST_F(RunDirectoryTest, LetsTheRanksOfOneRunStandSideBySide) {
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    const RunDirectory made(path() / fmt::format("rank_{}", rank), manifest(rank, 3));
  }
  EXPECT_THAT(refusal(path() / "rank_2", manifest(2, 3)), HasSubstr("an open run"));
}

TEST_F(RunDirectoryTest, RefusesARankBesideARunOfOneProcess) {
  { const RunDirectory made(path(), manifest()); }
  EXPECT_THAT(refusal(path() / "rank_0", manifest(0, 2)), HasSubstr("an open run"));
}

TEST_F(RunDirectoryTest, RefusesARankBesideTheRanksOfASmallerRun) {
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const RunDirectory made(path() / fmt::format("rank_{}", rank), manifest(rank, 2));
  }
  EXPECT_THAT(refusal(path() / "rank_3", manifest(3, 4)),
              AllOf(HasSubstr("a world size of 2, and this one has 4")));
}

TEST_F(RunDirectoryTest, NeverWritesOverAFile) {
  const RunDirectory made(path(), manifest());
  write_file(path() / "x", "here");
  EXPECT_THROW(made.create("x"), Error);
  EXPECT_EQ(read_file(path() / "x"), "here");
}

using RefusalOfTheDumper = DumperTest;

TEST_F(RefusalOfTheDumper, NamesTheRunAndLeavesItAlone) {
  {
    Dumper first = open();
    StepScope step = first.step(0);
    note(step, "y", 12);
  }
  const auto before = contents(path());
  Dumper second = open();
  EXPECT_FALSE(second.armed());
  EXPECT_THAT(trouble(),
              AllOf(HasSubstr("already holds a finished run"), HasSubstr(path().string())));
  EXPECT_EQ(contents(path()), before);
}

}  // namespace
}  // namespace foxhunt::test
