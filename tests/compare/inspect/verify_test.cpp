// SPDX-License-Identifier: MIT
#include "compare/inspect/verify.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/run_fixture.h"
#include "tests/support/temporary_directory.h"

namespace foxhunt {
namespace {

using test::bytes_of;
using test::RunFixture;
using Outcome = Verification::Outcome;

class Verify : public testing::Test {
 protected:
  Verification of(RunFixture::Kind kind, const std::function<void(RunFixture&)>& damage = {},
                  bool finish = true) {
    RunFixture run(directory_ / std::to_string(next_++), kind);
    run.step(0, {{"x", 'g', bytes_of<float>({1, 2})}, {"y", 'h', std::string(40'000, 'y')}});
    run.step(1, {{"x", 'g', bytes_of<float>({3, 4})}, {"empty", 'h', ""}});
    if (finish) run.finish();
    if (damage) damage(run);
    return verify_run(run.path(), {});
  }

  test::TemporaryDirectory directory_;
  int next_ = 0;
};

void flip(const std::filesystem::path& path, std::size_t at) {
  std::string bytes = test::read_file(path);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  test::write_file(path, bytes);
}

TEST_F(Verify, TakesARunThatIsAsWritten) {
  for (const auto kind : {RunFixture::Kind::full, RunFixture::Kind::digest}) {
    const Verification result = of(kind);
    EXPECT_EQ(result.outcome, Outcome::verified);
    EXPECT_EQ(result.records, 4u);
    EXPECT_EQ(result.steps, 2u);
  }
}

TEST_F(Verify, FindsAFlippedBitAnywhere) {
  for (const char* file : {"step_0_g_x.bin", "step_0_h_y.bin", kChunkWordsFile, kStepLogFile}) {
    const Verification result =
        of(RunFixture::Kind::full, [&](RunFixture& run) { flip(run.path() / file, 7); });
    EXPECT_EQ(result.outcome, Outcome::mismatch) << file;
    EXPECT_FALSE(result.mismatches.empty()) << file;
  }
}

TEST_F(Verify, FindsAFileThatIsGoneOrTooMany) {
  EXPECT_EQ(of(RunFixture::Kind::full,
               [](RunFixture& run) { std::filesystem::remove(run.path() / "step_0_g_x.bin"); })
                .outcome,
            Outcome::mismatch);
  EXPECT_EQ(of(RunFixture::Kind::full,
               [](RunFixture& run) { test::write_file(run.path() / "step_9_g_x.bin", "1234"); })
                .outcome,
            Outcome::mismatch);
}

TEST_F(Verify, CannotTellOfABareOrAnOpenRun) {
  EXPECT_EQ(of(RunFixture::Kind::bare).outcome, Outcome::cannot_tell);
  const Verification open = of(RunFixture::Kind::full, {}, false);
  EXPECT_EQ(open.outcome, Outcome::cannot_tell);
  EXPECT_EQ(open.records, 4u) << "what is there was looked at";
}

TEST_F(Verify, PrefersAMismatchToADoubt) {
  EXPECT_EQ(of(
                RunFixture::Kind::full,
                [](RunFixture& run) { flip(run.path() / "step_0_g_x.bin", 0); }, false)
                .outcome,
            Outcome::mismatch);
}

}  // namespace
}  // namespace foxhunt
