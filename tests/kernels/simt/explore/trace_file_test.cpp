// SPDX-License-Identifier: MIT
#include "kernels/simt/explore/trace_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "dump/format/error.h"
#include "tests/support/temporary_directory.h"

namespace foxhunt {
namespace {

using ::testing::HasSubstr;

class TraceFile : public ::testing::Test {
 protected:
  TraceFile() : file_(directory_.path() / "case.trace") {
    stored_.case_name = "block_sum";
    stored_.build = "instrumented";
    stored_.outcome = 0x0123456789abcdef;
    stored_.trace.schedule.policy = simt::Policy::walk;
    stored_.trace.schedule.seed = 17;
    stored_.trace.decisions = {{simt::DecisionKind::block, 2, 1},
                               {simt::DecisionKind::preempt, 12, 3}};
  }

  std::string content() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  void write(const std::string& text) const { std::ofstream(file_, std::ios::binary) << text; }
  Errc refusal() const {
    try {
      load_trace(file_);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("case.trace"));
      return error.code();
    }
    ADD_FAILURE() << "was read: " << content();
    return Errc::limit;
  }

  test::TemporaryDirectory directory_;
  std::filesystem::path file_;
  StoredTrace stored_;
};

TEST_F(TraceFile, IsReadAsItWasSaved) {
  save_trace(file_, stored_);
  const StoredTrace again = load_trace(file_);
  EXPECT_EQ(again.case_name, stored_.case_name);
  EXPECT_EQ(again.build, stored_.build);
  EXPECT_EQ(again.outcome, stored_.outcome);
  EXPECT_EQ(again.trace.decisions, stored_.trace.decisions);
  EXPECT_EQ(again.trace.schedule.policy, stored_.trace.schedule.policy);
  EXPECT_EQ(again.trace.schedule.seed, stored_.trace.schedule.seed);
}

TEST_F(TraceFile, OfAnotherVersionIsRefusedAsSuch) {
  save_trace(file_, stored_);
  std::string text = content();
  text.replace(text.find(" 1\n"), 3, " 2\n");
  write(text);
  EXPECT_EQ(refusal(), Errc::version);
}

TEST_F(TraceFile, ThatIsNoneIsRefused) {
  for (const char* text : {"", "hello\n", "foxhunt-schedule-trace 1\ncase x\n",
                           "foxhunt-schedule-trace 1\ncase x\nbuild y\noutcome 12g\n"}) {
    write(text);
    EXPECT_EQ(refusal(), Errc::format) << text;
  }
}

TEST_F(TraceFile, WithADamagedDecisionIsRefused) {
  save_trace(file_, stored_);
  write(content() + "nonsense 1 2\n");
  EXPECT_EQ(refusal(), Errc::format);
}

TEST_F(TraceFile, ThatIsMissingIsSaidToBe) { EXPECT_EQ(refusal(), Errc::missing); }

TEST_F(TraceFile, ThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(save_trace(directory_.path() / "no" / "case.trace", stored_), Error);
}

}  // namespace
}  // namespace foxhunt
