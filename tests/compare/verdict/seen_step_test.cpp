// SPDX-License-Identifier: MIT
#include "compare/verdict/seen_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace foxhunt {
namespace {

using testing::ElementsAre;

class SeenStepTest : public testing::Test {
 protected:
  SeenStepTest() {
    ProfileBuilder p("two");
    p.buffer("updated", 'g', DType::f32, {});
    p.buffer("acted", 'g', DType::f32, {}).once_per_step();
    profile_ = p.build();
  }
  SeenStep step(std::vector<Seen> seen, std::uint32_t last) {
    return SeenStep(profile_, std::move(seen), last);
  }
  static constexpr int kUpdated = 0, kActed = 1;
  Profile profile_;
};

TEST_F(SeenStepTest, HasAnUndumpedBufferAtEachOccurrenceOfTheStep) {
  const SeenStep none = step({}, 3);
  EXPECT_TRUE(none.at(kUpdated, 3));
  EXPECT_FALSE(none.at(kUpdated, 4));
  EXPECT_EQ(none.latest(kUpdated, 2)->occurrence, 2u);
  EXPECT_EQ(none.latest(kUpdated, 9)->occurrence, 3u);
  EXPECT_FALSE(none.latest(kUpdated, 2)->evidence);
}

TEST_F(SeenStepTest, HasWhatIsMadeOncePerStepAtItsStartOnly) {
  const SeenStep none = step({}, 3);
  EXPECT_TRUE(none.at(kActed, 0));
  EXPECT_FALSE(none.at(kActed, 1));
  EXPECT_EQ(none.latest(kActed, 3)->occurrence, 0u);
}

TEST_F(SeenStepTest, HasADumpedBufferWhereItWasDumpedOnly) {
  const SeenStep some = step({{kUpdated, 4, Evidence::unknown}, {kUpdated, 1, Evidence::equal}}, 5);
  EXPECT_FALSE(some.latest(kUpdated, 0));
  EXPECT_EQ(some.latest(kUpdated, 3)->occurrence, 1u);
  EXPECT_EQ(some.latest(kUpdated, 5)->evidence, Evidence::unknown);
  EXPECT_FALSE(some.at(kUpdated, 3));
  EXPECT_EQ(some.worst(kUpdated), Evidence::unknown);
  EXPECT_EQ(some.worst(kActed), std::nullopt);
  EXPECT_THAT(some.occurrences(), ElementsAre(1u, 4u));
}

TEST_F(SeenStepTest, TakesTheWorseOfWhatWasGivenTwice) {
  const std::vector<Seen> twice = {{kUpdated, 0, Evidence::equal},
                                   {kUpdated, 0, Evidence::diverged},
                                   {kUpdated, 0, Evidence::unknown}};
  EXPECT_EQ(step(twice, 0).at(kUpdated, 0)->evidence, Evidence::diverged);
  EXPECT_EQ(step({twice[0], twice[2]}, 0).at(kUpdated, 0)->evidence, Evidence::unknown);
}

}  // namespace
}  // namespace foxhunt
