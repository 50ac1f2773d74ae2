// SPDX-License-Identifier: MIT
#include "dump/capture/git_commit.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"

namespace foxhunt {
namespace {

const std::string kFirst(40, 'a'), kSecond(40, 'b');

class GitCommit : public testing::Test {
 protected:
  void file(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((directory_ / name).parent_path());
    test::write_file(directory_ / name, text);
  }
  std::string commit(const std::string& at) { return git_commit_at(directory_ / at); }
  test::TemporaryDirectory directory_;
};

TEST_F(GitCommit, IsFoundFromADirectoryBelow) {
  file("repo/.git/HEAD", "ref: refs/heads/main\n");
  file("repo/.git/refs/heads/main", kFirst + "\n");
  std::filesystem::create_directories(directory_ / "repo/a/b");
  EXPECT_EQ(commit("repo/a/b"), kFirst);
}

TEST_F(GitCommit, IsTheDetachedHead) {
  file("repo/.git/HEAD", kSecond + "\n");
  EXPECT_EQ(commit("repo"), kSecond);
}

TEST_F(GitCommit, IsFoundAmongPackedRefs) {
  file("repo/.git/HEAD", "ref: refs/heads/main\n");
  file("repo/.git/packed-refs", "# pack-refs with: peeled\n" + kSecond + " refs/heads/xmain\n" +
                                    kFirst + " refs/heads/main\n^" + kSecond + "\n");
  EXPECT_EQ(commit("repo"), kFirst);
}

TEST_F(GitCommit, IsThatOfTheWorktree) {
  file("repo/.git/HEAD", "ref: refs/heads/main\n");
  file("repo/.git/refs/heads/main", kFirst + "\n");
  file("repo/.git/refs/heads/side", kSecond + "\n");
  file("repo/.git/worktrees/w/HEAD", "ref: refs/heads/side\n");
  file("repo/.git/worktrees/w/commondir", "../..\n");
  file("w/.git", "gitdir: " + (directory_ / "repo/.git/worktrees/w").string() + "\n");
  EXPECT_EQ(commit("w"), kSecond);
}

TEST_F(GitCommit, IsThatOfASubmodule) {
  file("repo/.git/modules/sub/HEAD", kFirst + "\n");
  file("repo/sub/.git", "gitdir: ../.git/modules/sub\n");
  EXPECT_EQ(commit("repo/sub"), kFirst);
}

TEST_F(GitCommit, IsEmptyWhereFilesDoNotTell) {
  file("unborn/.git/HEAD", "ref: refs/heads/main\n");
  file("nonsense/.git/HEAD", "what?\n");
  file("dangling/.git", "gitdir: /nowhere\n");
  for (const char* const at : {"unborn", "nonsense", "dangling", "missing"}) {
    EXPECT_EQ(commit(at), "") << at;
  }
}

}  // namespace
}  // namespace foxhunt
