// SPDX-License-Identifier: MIT
// From directory to verdict: pairs of runs on disk that diverge in just these groups, with the
// origins and claims that the rule's plain statement gives for them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compare/runs/comparison.h"
#include "dump/format/profile_json.h"
#include "tests/compare/runs/collecting_sink.h"
#include "tests/compare/verdict/plain_walk.h"
#include "tests/compare/verdict/step_dump.h"
#include "tests/support/run_fixture.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_seed.h"

namespace foxhunt {
namespace {

using test::FixtureBuffer;
using test::RunFixture;
using test::StepDump;

constexpr std::string_view kFieldGroups = "ghijk";
constexpr std::string_view kEveryGroup = "arpgehtkjdilm";

// Two elements of whatever dtype; other bits where the instance diverges in run b.
FixtureBuffer make_buffer(const Profile& profile, const Instance& instance, bool changed) {
  const int index = profile.find(instance.name);
  FixtureBuffer buffer;
  buffer.name = instance.name;
  buffer.group = instance.group;
  buffer.dtype = profile.buffers[static_cast<std::size_t>(index)].dtype;
  buffer.bytes.assign(std::size_t{2} * dtype_size(buffer.dtype), '\x11');
  if (changed) buffer.bytes[0] = '\x12';
  buffer.occurrence = instance.occurrence;
  return buffer;
}

std::string in_short(const std::optional<FirstDivergence>& first) {
  if (!first) return "nothing diverged";
  std::string text = fmt::format("step {} groups {}\n", first->step, first->groups);
  for (const Origin& o : first->origins) {
    text += fmt::format("{} k{} {}({}) {}: {}\n", o.buffer, o.occurrence, o.kernel, o.site,
                        claim_name(o.claim), fmt::join(o.undumped_inputs, " "));
  }
  return text + fmt::format("common {}\n", first->common_undumped_ancestor);
}

// The last of three steps diverges in `diverging`; the groups `dumped` are on disk.
void check(RunFixture::Kind kind, const std::string& diverging, std::string_view dumped,
           std::uint32_t occurrences) {
  SCOPED_TRACE(fmt::format("diverging {} of {}, {} occurrences, kind {}", diverging, dumped,
                           occurrences, static_cast<int>(kind)));
  const Profile& profile = builtin_profile();
  test::TemporaryDirectory dir;
  RunFixture a(dir / "a", kind), b(dir / "b", kind);
  for (RunFixture* run : {&a, &b}) run->manifest().profile = profile;
  test::PlainWalk plain(profile);
  bool any = false;
  for (std::uint64_t step = 0; step < 3; ++step) {
    StepDump dump(profile, dumped, occurrences);
    if (step == 2) dump.diverge_groups(diverging);
    std::vector<FixtureBuffer> of_a, of_b;
    for (const Instance& instance : dump.instances()) {
      const bool changed = instance.evidence == Evidence::diverged;
      any |= changed;
      of_a.push_back(make_buffer(profile, instance, false));
      of_b.push_back(make_buffer(profile, instance, changed));
    }
    a.step(step, of_a);
    b.step(step, of_b);
    plain.add_step(step, dump.instances());
  }
  a.finish();
  b.finish();

  test::CollectingSink sink;
  const Comparison result = compare_runs(dir / "a", dir / "b", {}, sink);
  EXPECT_EQ(result.verdict, any ? Verdict::diverged : Verdict::identical);
  EXPECT_TRUE(result.problems.empty());
  ASSERT_EQ(result.ranks.size(), 1u);
  EXPECT_EQ(in_short(result.ranks[0].first_divergence), in_short(plain.first_divergence()));
}

class SubsetsOnDisk : public testing::TestWithParam<RunFixture::Kind> {};

TEST_P(SubsetsOnDisk, OfTheFieldsGroupsHaveTheOriginsOfThePlainRule) {
  for (unsigned subset = 0; subset < 1u << kFieldGroups.size(); ++subset) {
    std::string diverging;
    for (std::size_t i = 0; i < kFieldGroups.size(); ++i) {
      if ((subset >> i & 1) != 0) diverging += kFieldGroups[i];
    }
    check(GetParam(), diverging, kFieldGroups, 1);
  }
}

TEST_P(SubsetsOnDisk, OfAllGroupsHaveTheOriginsOfThePlainRule) {
  auto rng = test::test_rng(4);
  for (int round = 0; round < 12; ++round) {
    std::string diverging, dumped;
    for (const char letter : kEveryGroup) {
      if (rng() % 4 == 0) diverging += letter;
      if (rng() % 4 != 0) dumped += letter;
    }
    check(GetParam(), diverging, dumped, 1 + static_cast<std::uint32_t>(rng() % 2));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, SubsetsOnDisk,
                         testing::Values(RunFixture::Kind::bare, RunFixture::Kind::full,
                                         RunFixture::Kind::digest),
                         [](const auto& kind) {
                           return std::string(kind.param == RunFixture::Kind::bare   ? "Bare"
                                              : kind.param == RunFixture::Kind::full ? "Full"
                                                                                     : "Digest");
                         });

}  // namespace
}  // namespace foxhunt
