// SPDX-License-Identifier: MIT
// What a trainer can do wrong, and what the dumper says to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "tests/dump/capture/dumper_fixture.h"

namespace foxhunt::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class DumperTroubleTest : public DumperTest {
 protected:
  // Records step 0, lets `mistake` happen in step 1, goes on training, and returns what was said.
  template <class Mistake>
  std::string after(const Mistake& mistake) {
    Dumper dumper = open();
    {
      StepScope step = dumper.step(0);
      note(step, "y", 12);
    }
    {
      StepScope step = dumper.step(1);
      mistake(dumper, step);
      note(step, "y", 12);
      note(step, "nonsense", 12);  // said once only
    }
    EXPECT_FALSE(FOXHUNT_ARMED());
    EXPECT_TRUE(dumper.trouble());
    StepScope later = dumper.step(2);
    EXPECT_FALSE(later.wanted());
    dumper.close();
    EXPECT_EQ(messages().size(), 2u);
    EXPECT_FALSE(run().end) << "the run must stay open";
    EXPECT_THAT(run().step_numbers(), ElementsAre(0));
    EXPECT_THAT(run().mistakes, testing::IsEmpty());
    EXPECT_THAT(trouble(), AllOf(HasSubstr("the dumper is off"), HasSubstr(path().string())));
    return trouble();
  }
};

TEST_F(DumperTroubleTest, ANameNotedTwiceInOneOccurrence) {
  EXPECT_THAT(
      after([](Dumper&, StepScope& step) {
        note(step, "x", 16);
        note(step, "x", 16);
      }),
      AllOf(HasSubstr("x is noted twice in step 1, occurrence 0"), HasSubstr("next_update")));
}

TEST_F(DumperTroubleTest, ABufferOfAStepNotedInTwoUpdates) {
  EXPECT_THAT(after([](Dumper&, StepScope& step) {
                note(step, "params", 20);
                step.next_update();
                note(step, "params", 20);
              }),
              HasSubstr("declared as made once a step"));
}

TEST_F(DumperTroubleTest, AnUndeclaredNameIsAnsweredWithTheNearestOne) {
  EXPECT_THAT(after([](Dumper&, StepScope& step) { note(step, "tokns", 24); }),
              AllOf(HasSubstr("\"tokns\" is not declared in profile \"test-trainer\""),
                    HasSubstr("did you mean \"tokens\"?")));
}

TEST_F(DumperTroubleTest, AnUndeclaredNameThatIsLikeNoneIsNotGuessedAt) {
  EXPECT_THAT(after([](Dumper&, StepScope& step) { note(step, "completely_different", 4); }),
              testing::Not(HasSubstr("did you mean")));
}

TEST_F(DumperTroubleTest, AnUndeclaredNameOfBytesThatAreNoText) {
  EXPECT_THAT(after([](Dumper&, StepScope& step) { note(step, "\xff/..\n", 4); }),
              HasSubstr("\\xff/..\\x0a"));
}

TEST_F(DumperTroubleTest, BytesThatAreNotTheDeclaredShape) {
  EXPECT_THAT(after([](Dumper&, StepScope& step) { note(step, "y", 13); }),
              AllOf(HasSubstr("y is declared as f32 [3]"), HasSubstr("13 bytes")));
}

TEST_F(DumperTroubleTest, BytesThatAreNoWholeNumberOfRows) {
  EXPECT_THAT(after([](Dumper&, StepScope& step) { note(step, "x", 24); }),
              HasSubstr("x is declared as f32 [B,4]"));
}

TEST_F(DumperTroubleTest, AnInnerExtentThatIsBoundToNothing) {
  EXPECT_THAT(after([](Dumper&, StepScope& step) { note(step, "z", 12); }),
              AllOf(HasSubstr("z is declared as [2,N]"), HasSubstr("N is bound to no number")));
}

TEST_F(DumperTroubleTest, ANameThatWouldLeaveTheDirectory) {
  EXPECT_THAT(after([](Dumper&, StepScope& step) {
                step.note_host({"../x", 'g', DType::u8, {1}}, "1");
              }),
              HasSubstr("\"../x\" cannot be noted"));
}

TEST_F(DumperTroubleTest, AGroupThatIsNoLetter) {
  EXPECT_THAT(after([](Dumper&, StepScope& step) {
                step.note_host({"q", 'G', DType::u8, {1}}, "1");
              }),
              HasSubstr("cannot be noted"));
}

TEST_F(DumperTroubleTest, ADescriptionThatContradictsTheProfile) {
  EXPECT_THAT(
      after([](Dumper&, StepScope& step) {
        step.note_host({"y", 'g', DType::f32, {1}}, "1234");
      }),
      HasSubstr("y is noted as f32 in group g, but the profile declares it as f32 in group h"));
}

TEST_F(DumperTroubleTest, AShapeThatOverflows) {
  EXPECT_THAT(after([](Dumper&, StepScope& step) {
                step.note_host({"q", 'g', DType::f32, {1ull << 40, 1ull << 40}}, "1234");
              }),
              HasSubstr("cannot be noted"));
}

TEST_F(DumperTroubleTest, ANullAddress) {
  EXPECT_THAT(after([](Dumper&, StepScope& step) { step.note_host("y", nullptr, 12); }),
              HasSubstr("null address"));
}

TEST_F(DumperTroubleTest, AStepInsideAStep) {
  EXPECT_THAT(after([](Dumper& dumper, StepScope&) {
                const StepScope inner = dumper.step(2);
                EXPECT_FALSE(inner.wanted());
              }),
              HasSubstr("step 2 begins while step 1 is still open"));
}

TEST_F(DumperTroubleTest, ADumperClosedInsideAStep) {
  EXPECT_THAT(after([](Dumper& dumper, StepScope&) { dumper.close(); }),
              HasSubstr("closed while step 1 was still open"));
}

TEST_F(DumperTroubleTest, AStepThatIsAbandoned) {
  EXPECT_THAT(after([](Dumper&, StepScope& step) { step.abandon(); }), HasSubstr("step 1"));
}

TEST_F(DumperTroubleTest, DeviceMemoryWithoutADevice) {
  EXPECT_THAT(
      after([](Dumper&, StepScope& step) { step.note_device("y", "123456789012", 12, nullptr); }),
      HasSubstr("DumperOptions::device"));
}

TEST_F(DumperTroubleTest, StepNumbersThatDoNotGrow) {
  Dumper dumper = open();
  dumper.step(1).close();
  dumper.step(1).close();
  EXPECT_THAT(trouble(), HasSubstr("step 1 begins after step 1: step numbers must grow"));
  EXPECT_FALSE(run().end);
}

TEST_F(DumperTroubleTest, AFileThatIsInTheWay) {
  Dumper dumper = open();
  write_file(path() / "step_0_h_y.bin", "somebody else's");
  {
    StepScope step = dumper.step(0);
    note(step, "y", 12);
  }
  EXPECT_THAT(trouble(), HasSubstr("step_0_h_y.bin: cannot be made: File exists"));
  EXPECT_EQ(read_file(path() / "step_0_h_y.bin"), "somebody else's");
}

TEST_F(DumperTroubleTest, ASymbolicLinkThatIsInTheWay) {
  Dumper dumper = open();
  std::filesystem::create_symlink(directory_ / "elsewhere", path() / "step_0_h_y.bin");
  {
    StepScope step = dumper.step(0);
    note(step, "y", 12);
  }
  EXPECT_THAT(trouble(), HasSubstr("cannot be made"));
  EXPECT_FALSE(std::filesystem::exists(directory_ / "elsewhere"));
}

TEST_F(DumperTroubleTest, AMessageHandlerThatThrows) {
  DumperOptions options;
  options.message = [](std::string_view) { throw std::runtime_error("no"); };
  Dumper dumper = Dumper::from_environment(profile, options);
  StepScope step = dumper.step(0);
  note(step, "nonsense", 1);
  EXPECT_TRUE(dumper.trouble());
}

// Before a directory is touched:

TEST_F(DumperTroubleTest, ABadVariableIsSaidOnceAndDisarms) {
  for (const auto& [name, value] : {std::pair("DEBUG_BACKWARD", "yes"),
                                    {"STEPS", "x"},
                                    {"MODE", "both"},
                                    {"MAX_BYTES", "1e9"}}) {
    ScopedEnvironment again;
    again.clear();
    again.set("FOXHUNT_DETERMINISM_DEBUG_BACKWARD", "1");
    again.set("FOXHUNT_DETERMINISM_DIR", path());
    again.set(std::string("FOXHUNT_DETERMINISM_") + name, value);
    const std::size_t before = messages().size();
    std::optional<Error> error;
    DumperOptions quiet;
    quiet.message = [](std::string_view) {};
    Dumper dumper = Dumper::from_environment(profile, quiet, &error);
    EXPECT_FALSE(dumper.armed());
    EXPECT_FALSE(FOXHUNT_ARMED());
    ASSERT_TRUE(error) << name;
    EXPECT_THAT(error->what(), HasSubstr(name));
    EXPECT_FALSE(std::filesystem::exists(path()));
    EXPECT_EQ(messages().size(), before);
  }
}

TEST_F(DumperTroubleTest, AProfileThatCannotBeMade) {
  std::string said;
  DumperOptions options;
  options.message = [&said](std::string_view text) { said += text; };
  const Dumper dumper = Dumper::from_environment(
      []() -> Profile { throw Error(Errc::bad_argument, "profile trouble"); }, options);
  EXPECT_FALSE(dumper.armed());
  EXPECT_EQ(said, "foxhunt: profile trouble; nothing is dumped");
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(DumperTroubleTest, ADeviceThatCannotBeMade) {
  DumperOptions options;
  options.device = []() -> std::unique_ptr<DeviceQueue> {
    throw Error(Errc::device, "no device here");
  };
  EXPECT_FALSE(open(std::move(options)).armed());
  EXPECT_THAT(messages(), ElementsAre("foxhunt: no device here; nothing is dumped"));
}

}  // namespace
}  // namespace foxhunt::test
