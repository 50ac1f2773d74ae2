// SPDX-License-Identifier: MIT
#include "compare/runs/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "compare/runs/ranks.h"
#include "dump/format/error.h"
#include "dump/format/profile_json.h"
#include "tests/support/run_fixture.h"
#include "tests/support/temporary_directory.h"

namespace foxhunt {
namespace {

using test::bytes_of;
using test::read_file;
using test::RunFixture;
using test::TemporaryDirectory;
using test::write_file;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::unique_ptr<Run> open(const std::filesystem::path& path) {
  return Run::open(std::make_unique<Directory>(path));
}

// Reads to the end; "step:name,name step:…".
std::string contents(Run& run) {
  std::string all;
  while (const auto step = run.next_step()) {
    if (!all.empty()) all += ' ';
    all += std::to_string(step->step) + ":";
    for (const Entry& entry : step->entries) {
      if (all.back() != ':') all += ',';
      all += entry.name;
    }
  }
  return all;
}

std::vector<std::string> codes(const Run& run) {
  std::vector<std::string> all;
  for (const Problem& problem : run.problems()) all.push_back(problem.code);
  return all;
}

std::string bytes() { return bytes_of<float>({1, 2, 3}); }

TEST(BareRun, IsInTheProfilesOrder) {
  TemporaryDirectory dir;
  RunFixture fixture(dir / "a");
  fixture.step(10, {{"zzz", 'z', bytes()}, {"aaa", 'z', bytes()}});
  fixture.step(9, {{"q_logits", 'h', bytes()},
                   {"grad_h_t_q", 'j', bytes()},
                   {"sampled_index", 'g', bytes()},
                   {"unknown", 'a', bytes()}});
  const auto run = open(dir / "a");
  EXPECT_EQ(run->state(), RunState::bare);
  EXPECT_EQ(contents(*run), "9:sampled_index,q_logits,grad_h_t_q,unknown 10:aaa,zzz");
  EXPECT_THAT(run->problems(), IsEmpty());
}

TEST(BareRun, TakesDtypesFromTheProfile) {
  TemporaryDirectory dir;
  RunFixture fixture(dir / "a");
  fixture.step(0, {{"sampled_index", 'g', bytes()}, {"unknown", 'g', bytes()}});
  const auto run = open(dir / "a");
  const auto step = run->next_step();
  ASSERT_TRUE(step);
  EXPECT_EQ(step->entries[0].dtype, DType::i32);
  EXPECT_EQ(step->entries[1].dtype, std::nullopt);
}

TEST(BareRun, ReportsAFileThatStartsLikeADumpAndIgnoresOthers) {
  TemporaryDirectory dir;
  RunFixture fixture(dir / "a");
  fixture.step(0, {{"x", 'g', bytes()}});
  write_file(dir / "a/step_01_g_x.bin", "");
  write_file(dir / "a/notes.txt", "");
  const auto run = open(dir / "a");
  EXPECT_EQ(contents(*run), "0:x");
  EXPECT_THAT(codes(*run), ElementsAre("bad_name"));
}

TEST(LoggedRun, IsReadInTheOrderOfItsLog) {
  TemporaryDirectory dir;
  RunFixture fixture(dir / "a", RunFixture::Kind::full);
  fixture.step(3, {{"zz", 'z', bytes()}, {"aa", 'b', bytes()}});
  fixture.step(4, {});
  fixture.step(7, {{"aa", 'b', bytes()}});
  fixture.finish();
  const auto run = open(dir / "a");
  EXPECT_EQ(run->state(), RunState::complete);
  EXPECT_EQ(contents(*run), "3:zz,aa 4: 7:aa");
  EXPECT_THAT(run->problems(), IsEmpty());
}

TEST(LoggedRun, TellsOpenAndCutRunsFromCompleteOnes) {
  TemporaryDirectory dir;
  RunFixture still_open(dir / "a", RunFixture::Kind::full);
  still_open.step(0, {{"x", 'g', bytes()}});
  const auto a = open(dir / "a");
  EXPECT_EQ(a->state(), RunState::open);
  contents(*a);
  EXPECT_THAT(codes(*a), ElementsAre("open_run"));

  RunFixture cut(dir / "b", RunFixture::Kind::full);
  cut.step(0, {{"x", 'g', bytes()}});
  cut.finish(EndState::cut, "_MAX_BYTES reached");
  const auto b = open(dir / "b");
  EXPECT_EQ(b->state(), RunState::cut);
  contents(*b);
  EXPECT_THAT(codes(*b), ElementsAre("cut_run"));
  EXPECT_THAT(b->problems()[0].message, HasSubstr("_MAX_BYTES reached"));
}

TEST(LoggedRun, IsOpenBeforeItsLogExists) {
  TemporaryDirectory dir;
  RunFixture fixture(dir / "a", RunFixture::Kind::full);
  fixture.step(0, {});
  std::filesystem::remove(dir / "a/foxhunt-steps.log");
  const auto run = open(dir / "a");
  EXPECT_EQ(contents(*run), "");
  EXPECT_THAT(codes(*run), ElementsAre("open_run"));
}

TEST(LoggedRun, ReadsCommittedStepsOfATruncatedLog) {
  TemporaryDirectory dir;
  RunFixture fixture(dir / "a", RunFixture::Kind::full);
  fixture.step(0, {{"x", 'g', bytes()}});
  const auto first = std::filesystem::file_size(dir / "a/foxhunt-steps.log");
  fixture.step(1, {{"x", 'g', bytes()}});
  std::filesystem::resize_file(dir / "a/foxhunt-steps.log", first + 10);
  {
    const auto run = open(dir / "a");  // a killed writer: natural
    EXPECT_EQ(contents(*run), "0:x");
    EXPECT_THAT(codes(*run), ElementsAre("open_run"));
  }
  fixture.finish();
  {
    const auto run = open(dir / "a");  // an ended run: not
    EXPECT_EQ(contents(*run), "0:x");
    EXPECT_THAT(codes(*run), ElementsAre("damaged_log", "marker_mismatch", "stale_file"));
  }
}

TEST(LoggedRun, NoticesAStaleFile) {
  TemporaryDirectory dir;
  RunFixture fixture(dir / "a", RunFixture::Kind::full);
  fixture.step(0, {{"x", 'g', bytes()}});
  fixture.finish();
  write_file(dir / "a/step_1_g_x.bin", bytes());
  const auto run = open(dir / "a");
  contents(*run);
  EXPECT_THAT(codes(*run), ElementsAre("stale_file"));
}

TEST(LoggedRun, NoticesAMarkerOfAnotherRun) {
  TemporaryDirectory dir;
  for (const char* name : {"a", "b"}) {
    RunFixture fixture(dir / name, RunFixture::Kind::full);
    fixture.step(0, {{"x", 'g', bytes()}});
    fixture.finish();
  }
  write_file(dir / "a/foxhunt-end.json", read_file(dir / "b/foxhunt-end.json"));
  const auto run = open(dir / "a");
  contents(*run);
  EXPECT_THAT(codes(*run), ElementsAre("marker_mismatch"));
}

TEST(LoggedRun, LeavesOutADuplicateRecord) {
  TemporaryDirectory dir;
  RunFixture fixture(dir / "a", RunFixture::Kind::full);
  fixture.step(0, {{"x", 'g', bytes()}, {"y", 'g', bytes()}, {"x", 'g', bytes()}});
  fixture.finish();
  const auto run = open(dir / "a");
  EXPECT_EQ(contents(*run), "0:x,y");
  EXPECT_THAT(codes(*run), ElementsAre("duplicate_record"));
}

TEST(Run, SaysWhyADirectoryIsNoRun) {
  TemporaryDirectory dir;
  std::filesystem::create_directory(dir / "empty");
  try {
    open(dir / "empty");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::missing);
    EXPECT_THAT(e.what(), HasSubstr("Was the dumper armed"));
  }
}

TEST(Run, RefusesALogWithoutItsManifest) {
  TemporaryDirectory dir;
  RunFixture fixture(dir / "a", RunFixture::Kind::full);
  fixture.step(0, {{"x", 'g', bytes()}});
  std::filesystem::remove(dir / "a/foxhunt-manifest.json");
  EXPECT_THROW(open(dir / "a"), Error);
}

TEST(Run, RefusesALaterVersionByName) {
  TemporaryDirectory dir;
  RunFixture fixture(dir / "a", RunFixture::Kind::full);
  fixture.manifest().version = kFormatVersion + 1;
  fixture.step(0, {{"x", 'g', bytes()}});
  try {
    open(dir / "a");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::version);
  }
}

TEST(Ranks, AreFoundByNumber) {
  TemporaryDirectory dir;
  for (const char* name : {"rank_10", "rank_2", "rank_0", "rank_01", "rank_x"}) {
    std::filesystem::create_directory(dir / name);
  }
  const Ranks ranks = open_ranks(dir.path());
  ASSERT_EQ(ranks.ranks.size(), 3u);
  EXPECT_EQ(ranks.ranks[0].rank, 0u);
  EXPECT_EQ(ranks.ranks[1].rank, 2u);
  EXPECT_EQ(ranks.ranks[2].rank, 10u);
  EXPECT_THAT(ranks.problems, IsEmpty());
}

TEST(Ranks, DoNotMixWithDumpsBesideThem) {
  TemporaryDirectory dir;
  std::filesystem::create_directory(dir / "rank_0");
  write_file(dir / "step_0_g_x.bin", bytes());
  const Ranks ranks = open_ranks(dir.path());
  ASSERT_EQ(ranks.problems.size(), 1u);
  EXPECT_EQ(ranks.problems[0].code, "mixed_layout");
}

}  // namespace
}  // namespace foxhunt
