// SPDX-License-Identifier: MIT
// What is found in the bytes of one pair of buffers.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <thread>

#include "compare/runs/comparison.h"
#include "compare/runs/window.h"
#include "dump/format/digest.h"
#include "tests/compare/runs/collecting_sink.h"
#include "tests/support/run_fixture.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_seed.h"

namespace foxhunt {
namespace {

using test::bytes_of;
using test::CollectingSink;
using test::problem_codes;
using test::RunFixture;
using test::TemporaryDirectory;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = RunFixture::Kind;

class Payload : public testing::Test {
 protected:
  // Records buffer `name` of one step in both runs and compares them.
  Comparison compare(const std::string& in_a, const std::string& in_b, Kind kind = Kind::full,
                     const Shape& shape = {}) {
    record("a", in_a, kind, shape);
    record("b", in_b, kind, shape);
    return compare_again();
  }
  void record(const char* run, const std::string& bytes, Kind kind = Kind::full,
              const Shape& shape = {}) {
    std::filesystem::remove_all(dir_ / run);
    RunFixture fixture(dir_ / run, kind);
    fixture.manifest().profile = profile_;
    test::FixtureBuffer buffer{"x", 'g', bytes};
    if (!shape.empty()) buffer.shape = shape;
    fixture.step(0, {buffer});
    fixture.finish();
  }
  Comparison compare_again() {
    sink_.results.clear();
    return compare_runs(dir_ / "a", dir_ / "b", options_, sink_);
  }
  const BufferResult& result() { return sink_.of("x"); }
  const Difference& difference() { return *result().difference; }

  TemporaryDirectory dir_;
  CollectingSink sink_;
  CompareOptions options_;
  Profile profile_;
};

std::vector<float> ramp(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 1000) + 1;
  return values;
}

TEST_F(Payload, IsComparedToItsLastElementAcrossWindows) {
  // Three windows and a bit; no multiple of a chunk.
  const std::size_t count = 3 * kWindowBytes / 4 + 1234;
  const auto a = ramp(count);
  for (const std::size_t at : {std::size_t{0}, kWindowBytes / 4 - 1, kWindowBytes / 4,
                               2 * kWindowBytes / 4 + 77, count - 1}) {
    auto b = a;
    b[at] += 0.5f;
    compare(bytes_of(a), bytes_of(b));
    EXPECT_EQ(difference().differing, 1u);
    EXPECT_EQ(difference().first_index, at);
    EXPECT_EQ(difference().last_index, at);
    EXPECT_EQ(difference().elements, count);
    EXPECT_EQ(difference().max_abs, 0.5);
  }
}

TEST_F(Payload, IsMeasuredTheSameHoweverManyThreadsShareIt) {
  auto rng = test::test_rng(3);
  const std::size_t count = 5 * kWindowBytes / 4 + 4321;
  const auto a = ramp(count);
  auto b = a;
  for (auto& v : b) v += static_cast<float>(rng() % 4);
  options_.jobs = 1;
  compare(bytes_of(a), bytes_of(b));
  const Difference alone = difference();
  for (const unsigned jobs : {2u, 3u, 8u}) {
    options_.jobs = jobs;
    compare_again();
    EXPECT_EQ(difference().differing, alone.differing);
    EXPECT_EQ(difference().runs, alone.runs);
    EXPECT_EQ(difference().ulp_histogram, alone.ulp_histogram);
    EXPECT_EQ(difference().max_abs_index, alone.max_abs_index);
    EXPECT_EQ(difference().tiles_full, alone.tiles_full);
  }
}

TEST_F(Payload, ThatDisagreesWithItsRecordProvesNothing) {
  auto bytes = bytes_of(ramp(100000));
  for (const char* run : {"a", "b"}) {
    record("a", bytes);
    record("b", bytes);
    auto damaged = bytes;
    damaged[200000] ^= 1;
    test::write_file(dir_ / run / "step_0_g_x.bin", damaged);
    const Comparison comparison = compare_again();
    EXPECT_EQ(comparison.verdict, Verdict::unverified);
    EXPECT_THAT(problem_codes(comparison), ElementsAre("digest_mismatch"));
    EXPECT_THAT(comparison.problems[0].path, HasSubstr((dir_ / run).string()));
    EXPECT_THAT(comparison.problems[0].message, HasSubstr("chunk at byte 196608"));
    EXPECT_EQ(result().status, Status::unreadable);
  }
}

TEST_F(Payload, IsVerifiedWithoutChunkWordsToo) {
  const auto bytes = bytes_of(ramp(100000));
  auto other = bytes;
  other[200000] ^= 1;
  record("a", bytes);
  record("b", other);
  test::write_file(dir_ / "a/foxhunt-chunks.bin", "");
  EXPECT_EQ(compare_again().verdict, Verdict::diverged);
  auto damaged = bytes;
  damaged[0] ^= 1;
  test::write_file(dir_ / "a/step_0_g_x.bin", damaged);
  const Comparison comparison = compare_again();
  EXPECT_EQ(comparison.verdict, Verdict::unverified);
  EXPECT_THAT(problem_codes(comparison), ElementsAre("digest_mismatch"));
}

TEST_F(Payload, ThatWasOverwrittenWithTheOtherRunsIsNoticed) {
  const auto a = bytes_of(ramp(1000));
  auto b = a;
  b[0] ^= 1;
  record("a", a);
  record("b", b);
  test::write_file(dir_ / "b/step_0_g_x.bin", a);
  const Comparison comparison = compare_again();
  EXPECT_EQ(comparison.verdict, Verdict::unverified);
  EXPECT_THAT(problem_codes(comparison), ElementsAre("digest_mismatch"));
  EXPECT_THAT(comparison.problems[0].path, HasSubstr((dir_ / "b").string()));
}

TEST_F(Payload, OfAnotherSizeThanItsRecordIsNoticed) {
  const auto bytes = bytes_of(ramp(1000));
  record("a", bytes);
  record("b", bytes);
  test::write_file(dir_ / "b/step_0_g_x.bin", bytes.substr(0, 2000));
  EXPECT_THAT(problem_codes(compare_again()), ElementsAre("size_mismatch"));
}

TEST_F(Payload, AgainstADigestNamesTheDifferingChunks) {
  const auto a = bytes_of(ramp(100000));
  auto b = a;
  b[5] ^= 1;
  b[3 * kChunkBytes] ^= 1;
  for (const Kind kind : {Kind::digest, Kind::full}) {
    record("a", a, kind);
    record("b", b, Kind::digest);
    EXPECT_EQ(compare_again().verdict, Verdict::diverged);
    EXPECT_TRUE(result().by_digest);
    EXPECT_EQ(result().differing_chunks, 2u);
    EXPECT_THAT(result().first_chunks, ElementsAre(0, 3));
    EXPECT_EQ(result().elements, 100000u);
  }
}

TEST_F(Payload, AgainstADigestIsVerifiedFirst) {
  const auto bytes = bytes_of(ramp(1000));
  record("a", bytes, Kind::full);
  record("b", bytes, Kind::digest);
  auto damaged = bytes;
  damaged[100] ^= 1;
  test::write_file(dir_ / "a/step_0_g_x.bin", damaged);
  const Comparison comparison = compare_again();
  EXPECT_EQ(comparison.verdict, Verdict::unverified);
  EXPECT_THAT(problem_codes(comparison), ElementsAre("digest_mismatch"));
}

TEST_F(Payload, WithoutItsWordsFileIsStillJudgedByDigest) {
  const auto a = bytes_of(ramp(1000));
  auto b = a;
  b[5] ^= 1;
  record("a", a, Kind::digest);
  record("b", b, Kind::digest);
  std::filesystem::remove(dir_ / "a/foxhunt-chunks.bin");
  EXPECT_EQ(compare_again().verdict, Verdict::diverged);
  EXPECT_EQ(result().differing_chunks, std::nullopt);
}

TEST_F(Payload, OfTheSameRowsInAnotherOrderIsCalledAPermutation) {
  auto a = ramp(64 * 100);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i);
  auto b = a;
  std::rotate(b.begin(), b.begin() + 300, b.end());  // three rows of 100
  compare(bytes_of(a), bytes_of(b), Kind::full, {64, 100});
  EXPECT_TRUE(result().permuted_rows);
  EXPECT_FALSE(is_benign(result()));
  std::swap(b[5], b[6]);  // inside a row
  compare(bytes_of(a), bytes_of(b), Kind::full, {64, 100});
  EXPECT_FALSE(result().permuted_rows);
}

TEST_F(Payload, WithVeryLongPermutedRowsIsCalledAPermutation) {
  const std::size_t row = 700000;  // over a megabyte
  auto a = ramp(3 * row);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i);
  auto b = a;
  std::rotate(b.begin(), b.begin() + row, b.end());
  compare(bytes_of(a), bytes_of(b), Kind::full, {3, row});
  EXPECT_TRUE(result().permuted_rows);
  std::swap(b[0], b[1]);
  compare(bytes_of(a), bytes_of(b), Kind::full, {3, row});
  EXPECT_FALSE(result().permuted_rows);
}

TEST_F(Payload, OfAnOrderFreeBufferIsBenignWhenPermuted) {
  profile_ = ProfileBuilder("p").buffer("x", 'g', DType::f32, {4}).order_free().build();
  const Comparison comparison =
      compare(bytes_of<float>({1, 2, 3, 4}), bytes_of<float>({4, 3, 2, 1}));
  EXPECT_EQ(comparison.verdict, Verdict::diverged);  // bytes decide
  EXPECT_TRUE(is_benign(result()));
  EXPECT_TRUE(comparison.ranks[0].benign_only);
  EXPECT_FALSE(comparison.ranks[0].first_divergence);
  compare(bytes_of<float>({1, 2, 3, 4}), bytes_of<float>({1, 2, 3, 5}));
  EXPECT_FALSE(is_benign(result()));
}

class ValidExtent : public Payload, public testing::WithParamInterface<Shape> {};

TEST_P(ValidExtent, TellsThePaddingFromTheRest) {
  const Shape shape = {4, 5, 6}, valid = GetParam();
  std::vector<ProfileBuilder::Dim> extents;
  for (const auto extent : valid) extents.emplace_back(extent);
  profile_ =
      ProfileBuilder("p").buffer("x", 'g', DType::f32, {4, 5, 6}).valid_extent(extents).build();
  const auto a = ramp(120);
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto b = a;
    b[i] += 1;
    compare(bytes_of(a), bytes_of(b), Kind::full, shape);
    const auto at = coordinates(shape, i);
    const bool inside = at[0] < valid[0] && at[1] < valid[1] && at[2] < valid[2];
    EXPECT_EQ(result().tail_only, !inside) << i;
    EXPECT_EQ(result().status, Status::diverged);
  }
}

INSTANTIATE_TEST_SUITE_P(Extents, ValidExtent,
                         testing::Values(Shape{4, 5, 6}, Shape{3, 5, 6}, Shape{4, 2, 6},
                                         Shape{4, 5, 1}, Shape{2, 3, 4}, Shape{0, 5, 6}));

TEST_F(Payload, ThatIsAllZeroOnOneSideLooksLikeACaptureRace) {
  const std::size_t count = kWindowBytes / 4 + 100;
  std::vector<float> zeros(count), data(count);
  data[count - 1] = 1;
  compare(bytes_of(zeros), bytes_of(data));
  EXPECT_TRUE(result().zero_on_one_side);
  auto both = data;
  both[0] = 5;
  compare(bytes_of(data), bytes_of(both));
  EXPECT_FALSE(result().zero_on_one_side);
}

TEST_F(Payload, WithinItsToleranceIsStillDiverged) {
  options_.tolerances = {{NamePattern("."), 0.0, 0.25}};
  Comparison comparison = compare(bytes_of<float>({1, 2}), bytes_of<float>({1.25f, 2}));
  EXPECT_EQ(comparison.verdict, Verdict::diverged);
  EXPECT_EQ(comparison.within_tolerance, true);
  comparison = compare(bytes_of<float>({1, 2}), bytes_of<float>({1.5f, 2}));
  EXPECT_EQ(comparison.within_tolerance, false);
  EXPECT_EQ(result().tolerance->smallest_atol, 0.5);
  EXPECT_EQ(result().tolerance->outside, 1u);
}

TEST_F(Payload, HasTheToleranceOfTheFirstRuleThatMatches) {
  options_.tolerances = {
      {NamePattern("^y$"), 0, 0}, {NamePattern("^x$"), 0, 1}, {NamePattern("."), 0, 0}};
  EXPECT_EQ(compare(bytes_of<float>({1}), bytes_of<float>({2})).within_tolerance, true);
}

TEST_F(Payload, OfATerabyteOfNothingIsComparedInMomentsAndSmallMemory) {
  for (const char* run : {"a", "b"}) {
    record(run, "", Kind::bare);
    ASSERT_EQ(::truncate((dir_ / run / "step_0_g_x.bin").c_str(), off_t{1} << 40), 0);
  }
  EXPECT_EQ(compare_again().verdict, Verdict::identical);
  const int fd = ::open((dir_ / "b/step_0_g_x.bin").c_str(), O_WRONLY);
  ASSERT_EQ(::pwrite(fd, "x", 1, (off_t{1} << 39) + 5), 1);
  ::close(fd);
  EXPECT_EQ(compare_again().verdict, Verdict::diverged);
  EXPECT_EQ(difference().first_index, (std::uint64_t{1} << 39) + 5);
  EXPECT_EQ(difference().elements, std::uint64_t{1} << 40);
}

TEST_F(Payload, ThatShrinksWhileItIsReadIsUnreadable) {
  const auto bytes = bytes_of(ramp(8 * kWindowBytes / 4));
  int noticed = 0;
  for (int round = 0; round < 20; ++round) {
    record("a", bytes, Kind::bare);
    record("b", bytes, Kind::bare);
    std::thread shrink([&, round] {
      std::this_thread::sleep_for(std::chrono::microseconds(100 * round));
      std::filesystem::resize_file(dir_ / "b/step_0_g_x.bin", kWindowBytes);
    });
    const Comparison comparison = compare_again();
    shrink.join();
    // Before, in the middle, or after: never wrong.
    const auto codes = problem_codes(comparison);
    if (codes.empty()) continue;
    ++noticed;
    EXPECT_NE(comparison.verdict, Verdict::identical);
  }
  EXPECT_GT(noticed, 0);
}

TEST_F(Payload, TakesAProfilesShapeOnlyWhereItFitsTheFile) {
  const auto three = bytes_of<float>({1, 2, 3}), other = bytes_of<float>({1, 2, 4});
  for (const auto& [extent, fits] : {std::pair{3, true}, {0, false}, {2, false}, {300, false}}) {
    const Profile profile =
        ProfileBuilder("p").buffer("x", 'g', DType::f32, {extent}).valid_extent({extent}).build();
    options_.profile = &profile;
    compare(three, other, Kind::bare);
    EXPECT_EQ(result().status, Status::diverged) << result().note;
    EXPECT_EQ(result().shape.has_value(), fits) << extent;
    EXPECT_FALSE(result().tail_only);
  }
}

TEST_F(Payload, OfNoElementsIsEqualToAnother) {
  EXPECT_EQ(compare("", "").verdict, Verdict::identical);
  EXPECT_EQ(compare("", bytes_of<float>({1})).verdict, Verdict::diverged);
}

}  // namespace
}  // namespace foxhunt
