// SPDX-License-Identifier: MIT
#include "compare/report/output.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "dump/format/error.h"
#include "tests/support/temporary_directory.h"

namespace foxhunt {
namespace {

using test::TemporaryDirectory;
namespace fs = std::filesystem;

std::string contents(const Spool& spool, const TemporaryDirectory& directory) {
  const fs::path path = directory / "copy";
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  spool.copy_to(fd, "copy");
  ::close(fd);
  return test::read_file(path);
}

std::size_t entries(const fs::path& directory) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

TEST(Spool, GivesBackWhatItTookWhetherInMemoryOrNot) {
  TemporaryDirectory directory;
  for (const std::size_t in_memory : {0u, 10u, 1000u}) {
    Spool spool(in_memory);
    std::string all;
    for (int i = 0; i < 100; ++i) {
      const std::string text = std::to_string(i) + ",";
      spool.append(text);
      all += text;
    }
    EXPECT_EQ(contents(spool, directory), all);
    EXPECT_EQ(contents(spool, directory), all) << "a second time";
    EXPECT_EQ(spool.bytes(), all.size());
  }
}

TEST(Spool, LeavesNoFileBehind) {
  TemporaryDirectory directory;
  ::setenv("TMPDIR", directory.path().c_str(), 1);
  Spool spool(4);
  spool.append("more than four bytes");
  spool.append("and more");
  EXPECT_EQ(entries(directory.path()), 0u);
  ::unsetenv("TMPDIR");
}

TEST(Spool, SaysWhereItCannotGrow) {
  ::setenv("TMPDIR", "/nowhere-at-all", 1);
  Spool spool(4);
  spool.append("1234");
  try {
    spool.append("5678");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::io);
    EXPECT_THAT(error.what(), testing::HasSubstr("/nowhere-at-all"));
    EXPECT_THAT(error.what(), testing::HasSubstr("TMPDIR"));
  }
  ::unsetenv("TMPDIR");
}

TEST(WholeFile, AppearsOnlyWhenCommitted) {
  TemporaryDirectory directory;
  {
    WholeFile file(directory / "report.json", WholeFile::Existing::replace);
    write_fully(file.open(), "half", "report");
    EXPECT_FALSE(fs::exists(directory / "report.json"));
  }
  EXPECT_EQ(entries(directory.path()), 0u) << "an abandoned file leaves nothing";
  WholeFile file(directory / "report.json", WholeFile::Existing::replace);
  write_fully(file.open(), "whole", "report");
  file.commit();
  EXPECT_EQ(test::read_file(directory / "report.json"), "whole");
  EXPECT_EQ(entries(directory.path()), 1u);
}

TEST(WholeFile, ReplacesAnOldReportAndFollowsALink) {
  TemporaryDirectory directory;
  test::write_file(directory / "old.json", "old");
  fs::create_symlink("old.json", directory / "link.json");
  WholeFile file(directory / "link.json", WholeFile::Existing::replace);
  write_fully(file.open(), "new", "report");
  file.commit();
  EXPECT_EQ(test::read_file(directory / "old.json"), "new");
  EXPECT_TRUE(fs::is_symlink(directory / "link.json"));
}

TEST(WholeFile, RefusesToOverwriteWhenToldSo) {
  TemporaryDirectory directory;
  test::write_file(directory / "a.npy", "mine");
  EXPECT_THROW(WholeFile(directory / "a.npy", WholeFile::Existing::refuse), Error);
  // Also a file that comes while it is being written.
  WholeFile file(directory / "b.npy", WholeFile::Existing::refuse);
  file.open();
  test::write_file(directory / "b.npy", "mine");
  EXPECT_THROW(file.commit(), Error);
  EXPECT_EQ(test::read_file(directory / "b.npy"), "mine");
  EXPECT_EQ(entries(directory.path()), 2u);
}

TEST(WholeFile, RefusesPlacesInsideARun) {
  TemporaryDirectory directory;
  fs::create_directories(directory / "run" / "rank_0");
  fs::create_directory_symlink(directory / "run", directory / "elsewhere");
  const std::vector<fs::path> runs = {directory / "run"};
  for (const char* inside :
       {"run/x.json", "run/rank_0/x.json", "elsewhere/x.json", "run/rank_0/../x.json"}) {
    EXPECT_THROW(WholeFile(directory / inside, WholeFile::Existing::replace, runs), Error)
        << inside;
  }
  EXPECT_NO_THROW(WholeFile(directory / "run.json", WholeFile::Existing::replace, runs));
}

TEST(WholeFile, RefusesWhatIsNoRegularFile) {
  TemporaryDirectory directory;
  fs::create_directory(directory / "folder");
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  for (const fs::path& path : {directory / "folder", directory / "pipe", fs::path("/dev/null"),
                               directory / "no" / "such" / "folder"}) {
    EXPECT_THROW(WholeFile(path, WholeFile::Existing::replace), Error) << path;
  }
}

TEST(WholeFile, LeavesNothingWhenTheDiskIsFull) {
  TemporaryDirectory directory;
  const rlimit none{16, RLIM_INFINITY};
  rlimit old;
  ::getrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &none);
  {
    WholeFile file(directory / "report.json", WholeFile::Existing::replace);
    const int fd = file.open();
    EXPECT_THROW(write_fully(fd, std::string(100, 'x'), "report.json"), Error);
  }
  ::setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(entries(directory.path()), 0u);
}

TEST(WholeFile, IsReadableAsTheUsersOtherFilesAre) {
  TemporaryDirectory directory;
  const mode_t old = ::umask(022);
  WholeFile file(directory / "report.json", WholeFile::Existing::replace);
  file.open();
  file.commit();
  ::umask(old);
  struct stat status;
  ASSERT_EQ(::stat((directory / "report.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

}  // namespace
}  // namespace foxhunt
