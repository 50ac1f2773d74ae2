// SPDX-License-Identifier: MIT
// Device and host buffers of one run together, on a device that works late.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/dump/capture/dumper_fixture.h"
#include "tests/support/fake_device_queue.h"
#include "tests/support/test_seed.h"

namespace foxhunt::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class DumperOnDevice : public DumperTest {
 protected:
  explicit DumperOnDevice(std::uint64_t seed = test_seed())
      : device_(std::make_shared<FakeDevice>(seed)), stream_(device_->make_stream()) {}

  Dumper open_with_device() {
    DumperOptions options;
    options.device = [this] { return device_->queue(); };
    return open(std::move(options));
  }

  // A step whose head runs on the device: y is right only between its kernel and the one that
  // overwrites it.
  void train_one_step(Dumper& dumper, std::uint64_t n) {
    StepScope step = dumper.step(n);
    note(step, "x", 16, static_cast<char>('a' + n));
    device_->kernel(stream_, [this, n] { std::memset(y_, static_cast<int>('A' + n), sizeof y_); });
    step.note_device("y", y_, sizeof y_, stream_);
    device_->kernel(stream_, [this] { std::memset(y_, 0, sizeof y_); });
    note(step, "params", 20, static_cast<char>('p' + n));
  }

  char y_[12] = {};
  std::shared_ptr<FakeDevice> device_;
  FakeDevice::Stream stream_;
};

TEST_F(DumperOnDevice, RecordsWhatEachProducerMadeInTheOrderOfTheNotes) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::filesystem::remove_all(path());
    device_ = std::make_shared<FakeDevice>(test_seed() + seed);
    stream_ = device_->make_stream();
    {
      Dumper dumper = open_with_device();
      for (std::uint64_t n = 0; n < 6; ++n) train_one_step(dumper, n);
    }
    device_->synchronize();
    const WrittenRun written = run();
    EXPECT_THAT(written.mistakes, IsEmpty());
    ASSERT_THAT(written.step_numbers(), ElementsAre(0, 1, 2, 3));
    EXPECT_TRUE(written.end);
    for (std::uint64_t n = 0; n < 4; ++n) {
      EXPECT_EQ(written.steps[n].names(), "g/x h/y m/params");
      EXPECT_EQ(written.steps[n].records[1].bytes, std::string(12, static_cast<char>('A' + n)));
      EXPECT_EQ(written.steps[n].records[2].bytes, std::string(20, static_cast<char>('p' + n)));
    }
    EXPECT_THAT(device_->violations(), IsEmpty());
    if (HasFailure()) break;
  }
  EXPECT_EQ(trouble(), "");
}

TEST_F(DumperOnDevice, NeverCommitsAStepBeforeItsPayloads) {
  Dumper dumper = open_with_device();
  device_->pause();
  train_one_step(dumper, 0);
  train_one_step(dumper, 1);  // the training thread does not wait
  EXPECT_THAT(run().steps, IsEmpty());
  device_->resume();
  dumper.close();
  EXPECT_THAT(run().step_numbers(), ElementsAre(0, 1));
  EXPECT_THAT(run().mistakes, IsEmpty());
}

TEST_F(DumperOnDevice, CapturesInDigestModeToo) {
  set("MODE", "digest");
  {
    Dumper dumper = open_with_device();
    for (std::uint64_t n = 0; n < 4; ++n) train_one_step(dumper, n);
  }
  const WrittenRun written = run();
  EXPECT_THAT(written.mistakes, IsEmpty());
  std::vector<std::uint64_t> words(1);
  chunk_words(std::as_bytes(std::span("BBBBBBBBBBBB", 12)), words);
  EXPECT_EQ(written.steps.at(1).find("y")->record.chunked, chunked_digest(words, 12));
}

TEST_F(DumperOnDevice, RecordsAnEmptyDeviceBuffer) {
  {
    Dumper dumper = open_with_device();
    StepScope step = dumper.step(0);
    step.note_device({"nothing", 'q', DType::f32, {0, 3}}, y_, stream_);
  }
  EXPECT_THAT(run().mistakes, IsEmpty());
  EXPECT_EQ(run().steps.at(0).names(), "q/nothing");
}

TEST_F(DumperOnDevice, LeavesACutRunAfterAllThatWasInFlight) {
  set("STEPS", "0-99");
  set("MAX_BYTES", "25k");
  {
    Dumper dumper = open_with_device();
    device_->pause();
    for (std::uint64_t n = 0; n < 4; ++n) train_one_step(dumper, n);
    device_->resume();
    for (std::uint64_t n = 4; n < 20; ++n) train_one_step(dumper, n);
  }
  const WrittenRun written = run();
  EXPECT_THAT(written.mistakes, IsEmpty());
  ASSERT_TRUE(written.end);
  EXPECT_EQ(written.end->state, EndState::cut);
  EXPECT_GE(written.steps.size(), 1u);
  EXPECT_LE(written.bytes_on_disk, 25'000u);
}

TEST_F(DumperOnDevice, TurnsItselfOffWhenThereIsNoMemoryForASnapshot) {
  Dumper dumper = open_with_device();
  train_one_step(dumper, 0);
  device_->synchronize();
  device_->limit_memory(0);
  train_one_step(dumper, 1);
  train_one_step(dumper, 2);
  dumper.close();
  EXPECT_THAT(trouble(), AllOf(HasSubstr("the dumper is off"), HasSubstr("memory")));
  EXPECT_FALSE(run().end);
  EXPECT_THAT(run().mistakes, IsEmpty());
  EXPECT_EQ(messages().size(), 2u);
}

TEST_F(DumperOnDevice, TurnsItselfOffWhenTheStreamIsBeingCapturedIntoAGraph) {
  Dumper dumper = open_with_device();
  device_->set_being_captured(stream_, true);
  train_one_step(dumper, 0);
  dumper.close();
  EXPECT_THAT(trouble(), HasSubstr("graph"));
  EXPECT_FALSE(run().end);
}

TEST_F(DumperOnDevice, TurnsItselfOffWhenTheDeviceDies) {
  set("STEPS", "all");
  for (std::uint64_t call = 0; call < 40; ++call) {
    std::filesystem::remove_all(path());
    device_ = std::make_shared<FakeDevice>(test_seed() + call);
    stream_ = device_->make_stream();
    const std::size_t said = messages().size();
    {
      Dumper dumper = open_with_device();
      device_->fail_call(call, FakeDevice::Fault::for_good);
      for (std::uint64_t n = 0; n < 20; ++n) train_one_step(dumper, n);
    }
    EXPECT_LE(messages().size(), said + 2) << messages().back();
    EXPECT_FALSE(run().end) << call;
    EXPECT_THAT(run().mistakes, IsEmpty());
  }
}

TEST_F(DumperOnDevice, PutsTheDeviceIntoTheManifest) {
  Dumper dumper = open_with_device();
  for (const auto& [key, value] : device_->queue()->provenance()) {
    EXPECT_EQ(run().manifest->provenance.at(key), value);
  }
}

TEST_F(DumperOnDevice, TurnsItselfOffWhenTheDiskRefusesAPayload) {
  Dumper dumper = open_with_device();
  write_file(path() / "step_1_h_y.bin", "in the way");
  for (std::uint64_t n = 0; n < 4; ++n) train_one_step(dumper, n);
  dumper.close();
  EXPECT_THAT(trouble(), HasSubstr("step_1_h_y.bin: cannot be made: File exists"));
  EXPECT_THAT(run().step_numbers(), ElementsAre(0));
  EXPECT_FALSE(run().end);
}

}  // namespace
}  // namespace foxhunt::test
