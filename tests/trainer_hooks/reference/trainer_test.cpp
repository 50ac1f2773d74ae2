// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "dump/format/error.h"
#include "kernels/simt/schedule.h"
#include "tests/trainer_hooks/reference/tiny_trainer.h"
#include "trainer_hooks/reference/backend.h"

namespace foxhunt::test {
namespace {

Digest128 train_under(std::uint64_t seed, const TrainerOptions& options, int steps = 3) {
  const simt::ScheduleScope restore{simt::Schedule{}};
  follow_schedule(seed);
  return train(options, steps);
}

TEST(IntegratedTrainer, EndsInTheSameBitsUnderEverySchedule) {
  const Digest128 in_order = train(tiny_options(2), 3);
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    ASSERT_EQ(train_under(seed, tiny_options(2)), in_order) << "schedule seed " << seed;
  }
}

TEST(IntegratedTrainer, EndsInOtherBitsWithAnotherSeed) {
  TrainerOptions other = tiny_options();
  other.seed = 2;
  EXPECT_NE(train(other, 2), train(tiny_options(), 2));
}

TEST(IntegratedTrainer, EndsInTheSameBitsFromEveryBuildAndCompiler) {
  EXPECT_EQ(format_digest(train(tiny_options(2), 3)), "d963daf4ee3a3ed899864ce6ca05fdb6");
}

TEST(IntegratedTrainer, KeepsItsRingThroughManyPushes) {
  // 32 slots, three new transitions a step: the ring wraps, and its head with it.
  Dumper disarmed;
  IntegratedTrainer trainer(tiny_options(), index_prices(), disarmed);
  for (int n = 0; n < 20; ++n) {
    trainer.step();
    int head = -1;
    check_cuda(
        cudaMemcpy(&head, trainer.buffers().i32("ring_head"), sizeof head, cudaMemcpyDeviceToHost),
        "reading the head");
    EXPECT_EQ(head, (6 + 3 * (n + 1)) % 32);
  }
}

TEST(IntegratedTrainer, RefusesSizesThatItsKernelsDoNotTake) {
  Dumper disarmed;
  TrainerOptions options = tiny_options();
  options.sizes.capacity = 33;
  try {
    IntegratedTrainer trainer(options, index_prices(), disarmed);
    FAIL() << "a ring of 33 slots was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_argument);
    EXPECT_STREQ(error.what(),
                 "sizes of the trainer: capacity must be a power of two from 2 to 2^20");
  }
}

}  // namespace
}  // namespace foxhunt::test
