// SPDX-License-Identifier: MIT
// A whole dumper on the executor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "compare/inspect/verify.h"
#include "tests/dump/capture/dumper_fixture.h"
#include "tests/support/run_fixture.h"
#include "tests/trainer_hooks/reference/simt_capture_fixture.h"

namespace foxhunt::test {
namespace {

class SimtDumper : public DumperTest {
 protected:
  Dumper open_on_executor() {
    DumperOptions options;
    options.device = [] { return make_simt_device_queue(); };
    return open(std::move(options));
  }

  // Everything here depends on the schedule. Notes each result after its producer, and returns all
  // of them as they stand in the end.
  static std::vector<std::byte> train_with_defects(Dumper& dumper) {
    const CaptureBuffer in, sums, garbage, parts, total;
    CaptureBuffer ticket;
    const CaptureStream stream;
    fill_ramp(in.get(), 0.1f, stream);
    for (std::uint64_t n = 0; n < 3; ++n) {
      StepScope step = dumper.step(n);
      const auto note_buffer = [&](std::string_view name, const CaptureBuffer& buffer) {
        const BufferDesc desc{name, 'i', DType::f32, {kCaptureFloats}};
        FOXHUNT_HOOK(step.note_device(desc, buffer.get(), stream));
      };
      sum_as_they_come(in.get(), sums.get(), stream);
      note_buffer("sums", sums);
      read_what_was_not_written(garbage.get(), stream);
      note_buffer("garbage", garbage);
      sum_without_fence(garbage.get(), parts.get(), reinterpret_cast<unsigned*>(ticket.get()),
                        total.get(), stream);
      FOXHUNT_HOOK(step.note_device("y", total.get(), 12, stream));
      add_one(total.get(), in.get(), stream);
    }
    std::vector<std::byte> all(4 * CaptureBuffer::kBytes);
    std::byte* out = all.data();
    for (const CaptureBuffer* buffer : {&in, &sums, &garbage, &total}) {
      EXPECT_EQ(cudaMemcpyAsync(out, buffer->get(), CaptureBuffer::kBytes, cudaMemcpyDeviceToHost,
                                stream),
                cudaSuccess);
      out += CaptureBuffer::kBytes;
    }
    return all;
  }
};

TEST_F(SimtDumper, LeavesARunThatVerifies) {
  for (std::uint64_t schedule = 0; schedule < 8; ++schedule) {
    std::filesystem::remove_all(path());
    set("STEPS", "0-1");
    const simt::ScheduleScope scope(capture_schedule(schedule));
    const CaptureBuffer buffer;
    const CaptureStream stream;
    Dumper dumper = open_on_executor();
    for (std::uint64_t n = 0; n < 3; ++n) {
      StepScope step = dumper.step(n);
      fill_ramp(buffer.get(), static_cast<float>(n), stream);
      step.note_device("x", buffer.get(), CaptureBuffer::kBytes, stream);
      add_one(buffer.get(), buffer.get(), stream);
      step.note_device("y", buffer.get(), 12, stream);
      note(step, "params", 20);
    }
    dumper.close();
    const Verification verification = verify_run(path(), {});
    EXPECT_EQ(verification.outcome, Verification::Outcome::verified)
        << verification_text(verification, path().string());
    EXPECT_EQ(verification.records, 6u);
    const WrittenRun written = run();
    ASSERT_THAT(written.step_numbers(), testing::ElementsAre(0, 1));
    EXPECT_TRUE(written.end);
    for (std::size_t n = 0; n < 2; ++n) {
      const auto first = static_cast<float>(n);
      const std::string y = bytes_of<float>({first + 1, first + 2, first + 3});
      EXPECT_EQ(written.steps[n].names(), "g/x h/y m/params");
      EXPECT_EQ(written.steps[n].records[0].bytes.substr(4, 4), bytes_of<float>({first + 1}));
      EXPECT_EQ(written.steps[n].records[1].bytes, y);
    }
    EXPECT_EQ(written.manifest->provenance.at("schedule"),
              simt::describe(capture_schedule(schedule)));
  }
  EXPECT_EQ(trouble(), "");
}

TEST_F(SimtDumper, NeverChangesWhatKernelsWithADefectCompute) {
  std::set<std::vector<std::byte>> outcomes;
  for (std::uint64_t schedule = 0; schedule < 100; ++schedule) {
    const auto run_once = [&](bool armed) {
      std::filesystem::remove_all(path());
      const simt::ScheduleScope scope(capture_schedule(schedule));
      Dumper dumper = armed ? open_on_executor() : Dumper();
      return train_with_defects(dumper);
    };
    set("MODE", schedule % 2 == 0 ? "full" : "digest");
    const std::vector<std::byte> armed = run_once(true);
    ASSERT_EQ(armed, run_once(false)) << simt::describe(capture_schedule(schedule));
    ASSERT_EQ(trouble(), "");
    outcomes.insert(armed);
  }
  EXPECT_GT(outcomes.size(), 90u);  // or there was nothing that could have changed
}

}  // namespace
}  // namespace foxhunt::test
