// SPDX-License-Identifier: MIT
#include "compare/runs/run_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dump/format/error.h"
#include "tests/support/temporary_directory.h"

namespace foxhunt {
namespace {

using test::TemporaryDirectory;
using test::write_file;
using testing::HasSubstr;

std::string refusal(const Directory& directory, const std::string& name) {
  try {
    RunFile file(directory, name);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(RunFile, ReadsARegularFile) {
  TemporaryDirectory dir;
  write_file(dir / "x", "hello");
  const Directory directory(dir.path());
  const RunFile file(directory, "x");
  EXPECT_EQ(file.size(), 5u);
  char text[3];
  file.read(2, std::as_writable_bytes(std::span(text)));
  EXPECT_EQ(std::string_view(text, 3), "llo");
  EXPECT_TRUE(file.unchanged());
}

TEST(RunFile, RefusesWhatIsNoRegularFileInTheDirectory) {
  TemporaryDirectory dir;
  write_file(dir / "x", "hello");
  std::filesystem::create_symlink(dir / "x", dir / "link");
  std::filesystem::create_directory(dir / "sub");
  write_file(dir / "sub/y", "hello");
  ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
  const Directory directory(dir.path());
  EXPECT_THAT(refusal(directory, "link"), HasSubstr("symbolic link"));
  EXPECT_THAT(refusal(directory, "fifo"), HasSubstr("not a regular file"));  // and does not hang
  EXPECT_THAT(refusal(directory, "sub"), HasSubstr("not a regular file"));
  EXPECT_THAT(refusal(directory, "sub/y"), HasSubstr("not the name"));
  EXPECT_THAT(refusal(directory, ".."), HasSubstr("not the name"));
  EXPECT_THAT(refusal(directory, ""), HasSubstr("not the name"));
  EXPECT_THAT(refusal(directory, "none"), HasSubstr("No such file"));
}

TEST(RunFile, NoticesAChange) {
  TemporaryDirectory dir;
  write_file(dir / "x", "hello");
  const Directory directory(dir.path());
  const RunFile file(directory, "x");
  ASSERT_EQ(::truncate((dir / "x").c_str(), 4), 0);
  EXPECT_FALSE(file.unchanged());
  char text[5];
  EXPECT_THROW(file.read(0, std::as_writable_bytes(std::span(text))), Error);
}

TEST(RunFile, KnowsItsHoles) {
  TemporaryDirectory dir;
  write_file(dir / "sparse", "");
  ASSERT_EQ(::truncate((dir / "sparse").c_str(), off_t{1} << 40), 0);
  write_file(dir / "dense", std::string(8192, 'x'));
  const Directory directory(dir.path());
  const RunFile sparse(directory, "sparse"), dense(directory, "dense");
  EXPECT_TRUE(sparse.is_sparse());
  EXPECT_TRUE(sparse.is_hole(1 << 20, 1 << 20));
  EXPECT_FALSE(dense.is_hole(0, 8192));
}

TEST(Directory, RefusesARankThatIsALink) {
  TemporaryDirectory dir;
  std::filesystem::create_directory(dir / "real");
  std::filesystem::create_directory_symlink(dir / "real", dir / "rank_0");
  const Directory top(dir.path());
  EXPECT_THROW(Directory(top, "rank_0"), Error);
  EXPECT_NO_THROW(Directory(dir / "rank_0"));  // what the user names may be a link
}

TEST(ReadSmallFile, RefusesALargeOne) {
  TemporaryDirectory dir;
  write_file(dir / "x", "hello");
  const Directory directory(dir.path());
  EXPECT_EQ(read_small_file(directory, "x", 5), "hello");
  EXPECT_THROW(read_small_file(directory, "x", 4), Error);
}

}  // namespace
}  // namespace foxhunt
