// SPDX-License-Identifier: MIT
// Run directories made to mislead: never "identical", never a crash, never a look outside.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "compare/runs/comparison.h"
#include "dump/format/digest.h"
#include "dump/format/error.h"
#include "tests/compare/runs/collecting_sink.h"
#include "tests/support/run_fixture.h"
#include "tests/support/temporary_directory.h"

namespace foxhunt {
namespace {

using test::bytes_of;
using test::CollectingSink;
using test::problem_codes;
using test::read_file;
using test::RunFixture;
using test::TemporaryDirectory;
using test::write_file;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using Kind = RunFixture::Kind;

// Sanitizers keep freed memory and shadow the rest: their peak says nothing of ours.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FOXHUNT_UNDER_SANITIZER 1
#endif
#endif
#if defined(FOXHUNT_UNDER_SANITIZER) || defined(__SANITIZE_ADDRESS__) || \
    defined(__SANITIZE_THREAD__)
constexpr bool kUnderSanitizer = true;
#else
constexpr bool kUnderSanitizer = false;
#endif

class HostileRun : public testing::Test {
 protected:
  HostileRun() {
    for (const char* run : {"a", "b"}) {
      RunFixture fixture(dir_ / run, Kind::full);
      fixture.step(0, {{"x", 'g', bytes_of<float>({1, 2})}, {"y", 'g', bytes_of<float>({1, 2})}});
      fixture.finish();
    }
  }
  // Comparing must not say "identical", and says why.
  std::vector<std::string> codes() {
    CollectingSink sink;
    const Comparison result = compare_runs(dir_ / "a", dir_ / "b", {}, sink);
    EXPECT_EQ(result.verdict, Verdict::unverified);
    for (const Problem& problem : result.problems) EXPECT_FALSE(problem.message.empty());
    return problem_codes(result);
  }
  // Rewrites the log of run b with valid check words around whatever the lines say.
  void forge_log(const std::vector<std::string>& record_bodies) {
    std::string text;
    const auto line = [&text](const std::string& body) {
      text += body + fmt::format(" {:016x}\n", check_word(body));
    };
    for (const std::string& body : record_bodies) line(body);
    line(fmt::format("commit 0 {} {} {:016x}", record_bodies.size(), record_bodies.size(),
                     check_word(text)));
    write_file(dir_ / "b/foxhunt-steps.log", text);
    std::filesystem::remove(dir_ / "b/foxhunt-end.json");
  }
  std::string payload(const char* run) { return (dir_ / run / "step_0_g_x.bin").string(); }

  TemporaryDirectory dir_;
};

TEST_F(HostileRun, WithALinkOutOfItIsNotFollowed) {
  write_file(dir_ / "secret", bytes_of<float>({1, 2}));
  std::filesystem::remove(payload("b"));
  std::filesystem::create_symlink(dir_ / "secret", payload("b"));
  EXPECT_THAT(codes(), ElementsAre("unreadable_file"));
}

TEST_F(HostileRun, WithAFifoForAPayloadDoesNotHang) {
  std::filesystem::remove(payload("b"));
  ASSERT_EQ(::mkfifo(payload("b").c_str(), 0600), 0);
  EXPECT_THAT(codes(), ElementsAre("unreadable_file"));
}

TEST_F(HostileRun, WithAFifoForAManifestDoesNotHang) {
  std::filesystem::remove(dir_ / "b/foxhunt-manifest.json");
  ASSERT_EQ(::mkfifo((dir_ / "b/foxhunt-manifest.json").c_str(), 0600), 0);
  EXPECT_THAT(codes(), ElementsAre("unreadable_run"));
}

TEST_F(HostileRun, WithADeviceForAPayloadIsNotRead) {
  std::filesystem::remove(payload("b"));
  if (::mknod(payload("b").c_str(), S_IFCHR | 0600, makedev(1, 5)) != 0) {
    std::filesystem::create_directory(payload("b"));  // not allowed here: a directory will do
  }
  EXPECT_THAT(codes(), ElementsAre("unreadable_file"));
}

TEST_F(HostileRun, ThatNamesFilesOutsideItIsNotBelieved) {
  const std::string digest(32, '0');
  for (const std::string name : {"../a/step_0_g_x", "..", "/etc/passwd", "a/b", "x\\n", ""}) {
    forge_log({"buf 0 0 0 g " + name + " f32 2 8 full " + digest + " " + digest + " 0"});
    EXPECT_THAT(codes(), Contains("damaged_log")) << name;
  }
}

TEST_F(HostileRun, WhoseShapeOverflowsIsNotBelieved) {
  const std::string digest(32, '0');
  for (const std::string shape : {"4294967296x4294967296", "18446744073709551615",
                                  "1x1x1x1x1x1x1x1x1", "4611686018427387906"}) {
    forge_log({"buf 0 0 0 g x f32 " + shape + " 8 full " + digest + " " + digest + " 0"});
    EXPECT_THAT(codes(), Contains("damaged_log")) << shape;
  }
}

TEST_F(HostileRun, ThatClaimsAnExabyteAllocatesNothingForIt) {
  const std::string digest(32, '0');
  forge_log({"buf 0 0 0 g x u8 1152921504606846976 1152921504606846976 digest - " + digest + " 0",
             "buf 1 0 0 g y f32 2 8 full " + digest + " " + digest + " 18446744073709551615"});
  CollectingSink sink;
  const Comparison result = compare_runs(dir_ / "a", dir_ / "b", {}, sink);
  EXPECT_NE(result.verdict, Verdict::identical);
}

TEST_F(HostileRun, WithDuplicateRecordsIsNotIdentical) {
  for (const char* run : {"a", "b"}) {
    std::filesystem::remove_all(dir_ / run);
    RunFixture fixture(dir_ / run, Kind::full);
    fixture.step(0, {{"x", 'g', bytes_of<float>({1, 2})}, {"x", 'g', bytes_of<float>({1, 2})}});
    fixture.finish();
  }
  EXPECT_THAT(codes(), ElementsAre("duplicate_record", "duplicate_record"));
}

TEST_F(HostileRun, WithATruncatedLogIsNotIdentical) {
  std::filesystem::resize_file(dir_ / "b/foxhunt-steps.log", 50);
  const auto found = codes();
  EXPECT_THAT(found, Contains("damaged_log"));
  EXPECT_THAT(found, Contains("missing_step"));
}

TEST_F(HostileRun, WithInvalidUtf8IsNotIdentical) {
  write_file(dir_ / "b/foxhunt-manifest.json",
             "{\"format\": \"foxhunt-run\", \"run_id\": \"\xff\"}");
  EXPECT_THAT(codes(), ElementsAre("damaged_run"));
  std::filesystem::remove_all(dir_ / "b");
  RunFixture bare(dir_ / "b");
  bare.step(0, {{"x", 'g', bytes_of<float>({1, 2})}, {"y", 'g', bytes_of<float>({1, 2})}});
  write_file(dir_ / "b/step_0_g_\xff\xfe.bin", "");
  EXPECT_THAT(codes(), Contains("bad_name"));
}

TEST_F(HostileRun, WithAGiantManifestIsRefused) {
  std::filesystem::resize_file(dir_ / "b/foxhunt-manifest.json", std::uint64_t{1} << 40);
  EXPECT_THAT(codes(), ElementsAre("damaged_run"));
}

TEST_F(HostileRun, WithAGiantSparseLogEndsSoon) {
  std::filesystem::resize_file(dir_ / "b/foxhunt-steps.log", std::uint64_t{1} << 40);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(codes(), Contains("damaged_log"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(HostileRun, OfAMillionFilesIsComparedInBoundedMemory) {
  constexpr int kFiles = 200000;  // a fifth: making them takes longer than comparing them
  for (const char* run : {"a", "b"}) {
    std::filesystem::remove_all(dir_ / run);
    std::filesystem::create_directory(dir_ / run);
    const int directory = ::open((dir_ / run).c_str(), O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < kFiles; ++i) {
      const std::string name = fmt::format("step_{}_g_buffer_{}.bin", i / 100, i % 100);
      ::close(::openat(directory, name.c_str(), O_CREAT | O_WRONLY, 0600));
    }
    ::close(directory);
  }
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  CollectingSink sink;
  const Comparison result = compare_runs(dir_ / "a", dir_ / "b", {}, sink);
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_EQ(result.verdict, Verdict::identical);
  EXPECT_EQ(result.ranks[0].equal, static_cast<std::uint64_t>(kFiles));
  if (!kUnderSanitizer) {
    EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 * 1024);
  }
}

}  // namespace
}  // namespace foxhunt
