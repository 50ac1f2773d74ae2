// SPDX-License-Identifier: MIT
#include "compare/verdict/walk.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dump/format/profile_json.h"
#include "tests/compare/verdict/step_dump.h"

namespace foxhunt {
namespace {

using test::StepDump;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// source ← host; left, right ← split ← source; middle ← join ← left; end ← finish ← middle, right,
// weights[-1]; weights ← update ← end, weights[-1].
Profile small_graph() {
  ProfileBuilder p("small");
  for (const char* name : {"source", "left", "right", "middle", "end", "weights"}) {
    p.buffer(name, 'g', DType::f32, {});
  }
  p.buffer("weights_in", 'm', DType::f32, {}).once_per_step().carries("weights");
  p.maker("host", MakerKind::host, Determinism::unknown, "compare the seeds");
  p.launch("host").makes("source");
  p.launch("split").reads("source").makes("left").makes("right");
  p.launch("join", "only").reads("left").makes("middle");
  p.launch("finish").reads("middle").reads("right").reads("weights", 1).makes("end");
  p.launch("update").reads("end").reads("weights", 1).makes("weights");
  return p.build();
}

class SmallWalk : public testing::Test {
 protected:
  StepDump dump(std::uint32_t occurrences = 1) { return {profile_, "g", occurrences}; }
  void add(std::uint64_t step, const StepDump& dump) { walk_.add_step(step, dump.instances()); }
  const FirstDivergence& first() { return walk_.first_divergence().value(); }
  std::vector<std::string> origins() {
    std::vector<std::string> names;
    for (const Origin& o : first().origins) {
      names.push_back(o.occurrence == 0 ? o.buffer : fmt::format("{} k{}", o.buffer, o.occurrence));
    }
    return names;
  }
  const Origin& origin() { return first().origins.at(0); }

  Profile profile_ = small_graph();
  Walk walk_{profile_};
};

TEST_F(SmallWalk, SaysNothingWhileAllIsEqual) {
  for (std::uint64_t step = 0; step < 5; ++step) add(step, dump(2));
  EXPECT_FALSE(walk_.first_divergence());
}

TEST_F(SmallWalk, ProvesAKernelWhoseInputsAreAllEqual) {
  add(0, dump().diverge("middle"));
  ASSERT_THAT(origins(), ElementsAre("middle"));
  EXPECT_EQ(origin().claim, Claim::proven);
  EXPECT_EQ(origin().kernel, "join");
  EXPECT_EQ(origin().site, "only");
  EXPECT_THAT(origin().undumped_inputs, IsEmpty());
  EXPECT_EQ(first().groups, "g");
}

TEST_F(SmallWalk, BlamesNobodyDownstream) {
  add(0, dump().diverge("left").diverge("middle").diverge("end").diverge("weights"));
  EXPECT_THAT(origins(), ElementsAre("left"));
}

TEST_F(SmallWalk, LetsAnEqualBufferBetweenTwoDivergentOnesExcuseNeither) {
  add(0, dump().diverge("left").diverge("end").carried_in("m"));
  ASSERT_THAT(origins(), ElementsAre("left", "end"));
  EXPECT_EQ(first().origins[0].claim, Claim::proven);
  EXPECT_EQ(first().origins[1].claim, Claim::proven);
}

TEST_F(SmallWalk, SuspectsAKernelWithAnUndumpedInputDownToTheEqualFrontier) {
  add(0, dump().drop("middle").drop("left").diverge("end").carried_in("m"));
  ASSERT_THAT(origins(), ElementsAre("end"));
  EXPECT_EQ(origin().claim, Claim::suspected);
  EXPECT_THAT(origin().undumped_inputs, ElementsAre("middle", "left"));
  EXPECT_EQ(origin().undumped_groups, "g");
}

TEST_F(SmallWalk, TaintsTheUndumpedSiblingOfADivergentOutput) {
  add(0, dump().diverge("right").drop("left").diverge("middle"));
  EXPECT_THAT(origins(), ElementsAre("right"));
}

TEST_F(SmallWalk, TaintsThroughUndumpedBuffers) {
  add(0, dump().diverge("source").drop("left").drop("middle").diverge("end"));
  EXPECT_THAT(origins(), ElementsAre("source"));
}

TEST_F(SmallWalk, ListsWhatCouldNotBeComparedAsAnUnknownInput) {
  add(0, dump().unknown("left").diverge("middle"));
  ASSERT_THAT(origins(), ElementsAre("middle"));
  EXPECT_EQ(origin().claim, Claim::suspected);
  EXPECT_THAT(origin().undumped_inputs, ElementsAre("left"));
}

TEST_F(SmallWalk, NamesALaggedInput) {
  add(0, dump().drop("weights"));
  add(1, dump().drop("weights").diverge("end"));
  ASSERT_THAT(origins(), ElementsAre("end"));
  EXPECT_THAT(origin().undumped_inputs, ElementsAre("weights[-1]"));
}

TEST_F(SmallWalk, ProvesFromThePreviousStep) {
  add(7, dump());
  add(8, dump().diverge("end"));
  EXPECT_EQ(origin().claim, Claim::proven);
  EXPECT_EQ(first().step, 8u);
}

TEST_F(SmallWalk, DoesNotReachOverAGapOfSteps) {
  add(7, dump());
  add(9, dump().diverge("end"));
  EXPECT_EQ(origin().claim, Claim::suspected);
  EXPECT_THAT(origin().undumped_inputs, ElementsAre("weights[-1]"));
}

TEST_F(SmallWalk, ProvesFromTheStateCarriedIn) {
  add(9, dump().diverge("end").carried_in("m"));
  EXPECT_EQ(origin().claim, Claim::proven);
}

TEST_F(SmallWalk, CallsDivergentStateCarriedInExternal) {
  add(9, dump().diverge("weights_in").diverge("end").diverge("weights"));
  ASSERT_THAT(origins(), ElementsAre("weights_in"));
  EXPECT_EQ(origin().claim, Claim::external);
  EXPECT_EQ(origin().kernel, "");
  EXPECT_THAT(origin().advice, HasSubstr("before this window"));
}

TEST_F(SmallWalk, FollowsLagsOverTheKLoop) {
  add(0, dump(3).carried_in("m").diverge("weights", 0).diverge("end", 1).diverge("end", 2));
  EXPECT_THAT(origins(), ElementsAre("weights", "end k2"));
  EXPECT_EQ(first().origins[1].claim, Claim::proven);  // weights are equal again at k1
  EXPECT_EQ(first().occurrence, 0u);
}

TEST_F(SmallWalk, PutsTheSmallestOccurrenceFirst) {
  add(0, dump(3).carried_in("m").diverge("middle", 2).diverge("end", 1));
  EXPECT_THAT(origins(), ElementsAre("end k1", "middle k2"));
  EXPECT_EQ(first().occurrence, 1u);
}

TEST_F(SmallWalk, PutsTheOutputThatDiffersEarlierFirst) {
  add(0, dump().diverge("left", 0, 20).diverge("right", 0, 10));
  EXPECT_THAT(origins(), ElementsAre("right", "left"));
}

TEST_F(SmallWalk, IsNotClearedByALaterEqualStep) {
  add(0, dump().diverge("left"));
  add(1, dump());
  add(2, dump().diverge("source"));
  EXPECT_EQ(first().step, 0u);
  EXPECT_THAT(origins(), ElementsAre("left"));
}

TEST_F(SmallWalk, CallsWhatTheHostMadeExternal) {
  add(0, dump().diverge("source"));
  EXPECT_EQ(origin().claim, Claim::external);
  EXPECT_EQ(origin().kernel, "host");
  EXPECT_EQ(origin().advice, "compare the seeds");
}

TEST_F(SmallWalk, ListsBuffersThatNoProfileKnowsLastByName) {
  add(0, dump().diverge("zebra").diverge("ant", 1).diverge("end", 0).diverge("ant"));
  ASSERT_THAT(origins(), ElementsAre("end", "ant", "ant k1", "zebra"));
  const Origin& ant = first().origins[1];
  EXPECT_EQ(ant.claim, Claim::suspected);
  EXPECT_EQ(ant.kernel, "");
  EXPECT_THAT(ant.undumped_inputs, IsEmpty());
  EXPECT_THAT(ant.advice, HasSubstr("No profile says"));
  EXPECT_EQ(first().groups, "gx");
}

TEST_F(SmallWalk, KnowsWhatNoStepHasDumped) {
  EXPECT_THAT(walk_.never_dumped(),
              ElementsAre("source", "left", "right", "middle", "end", "weights"));
  add(0, dump().drop("left").drop("right"));
  EXPECT_THAT(walk_.never_dumped(), ElementsAre("left", "right"));
  add(1, dump().drop("left").unknown("right").diverge("end"));
  EXPECT_THAT(walk_.never_dumped(), ElementsAre("left"));
  add(2, dump());
  EXPECT_THAT(walk_.never_dumped(), IsEmpty());
}

TEST_F(SmallWalk, BoundsWhatAHostileOccurrenceCosts) {
  constexpr std::uint32_t kHuge = ~std::uint32_t{0};
  add(0, dump().drop("weights").drop("left").diverge("end", kHuge).equal("middle", kHuge));
  EXPECT_EQ(origin().occurrence, kHuge);
  EXPECT_THAT(origin().undumped_inputs, ElementsAre("weights[-1]"));
}

TEST_F(SmallWalk, CountsTheOriginsPastAThousand) {
  StepDump many = dump();
  std::vector<std::string> names;
  for (int i = 0; i < 1500; ++i) names.push_back(fmt::format("stranger{:04}", i));
  std::vector<Instance> instances(many.instances().begin(), many.instances().end());
  for (const std::string& name : names) {
    instances.push_back({name, 'x', 0, Evidence::diverged, 0});
  }
  walk_.add_step(0, instances);
  EXPECT_EQ(first().origins.size(), kMaxOrigins);
  EXPECT_EQ(first().origins_not_listed, 500u);
}

TEST(Walk, SharesASuspectBehindSeveralOrigins) {
  ProfileBuilder p("tree");
  for (const char* name : {"root", "trunk", "leaf_a", "leaf_b", "leaf_c"}) {
    p.buffer(name, 'g', DType::f32, {});
  }
  p.launch("grow").reads("root", 1).makes("root");
  p.launch("rise").reads("root").makes("trunk");
  p.launch("a").reads("trunk").makes("leaf_a");
  p.launch("b").reads("trunk").makes("leaf_b");
  p.launch("c").reads("root", 1).makes("leaf_c");
  const Profile profile = p.build();
  {
    Walk walk(profile);
    walk.add_step(0, StepDump(profile, "g")
                         .drop("root")
                         .drop("trunk")
                         .diverge("leaf_a")
                         .diverge("leaf_b")
                         .instances());
    EXPECT_EQ(walk.first_divergence()->common_undumped_ancestor, "trunk");
    EXPECT_THAT(walk.first_divergence()->sharing, ElementsAre("leaf_a", "leaf_b"));
  }
  Walk walk(profile);
  walk.add_step(0,
                StepDump(profile, "g").drop("root").drop("trunk").diverge_groups("g").instances());
  EXPECT_EQ(walk.first_divergence()->common_undumped_ancestor, "root[-1]");
  EXPECT_THAT(walk.first_divergence()->sharing, ElementsAre("leaf_a", "leaf_b", "leaf_c"));
}

TEST(Walk, SaysThatACopyOrAViewCannotInventBits) {
  ProfileBuilder p("moves");
  for (const char* name : {"from", "copied", "viewed"}) p.buffer(name, 'g', DType::f32, {});
  p.maker("upload", MakerKind::copy, Determinism::gpu_to_gpu, "look at the pinned buffer");
  p.maker("alias", MakerKind::view, Determinism::gpu_to_gpu, "");
  p.launch("host").makes("from");
  p.launch("upload").reads("from").makes("copied");
  p.launch("alias").reads("from").makes("viewed");
  const Profile profile = p.build();
  Walk walk(profile);
  walk.add_step(0, StepDump(profile, "g").diverge("copied").diverge("viewed").instances());
  const auto& origins = walk.first_divergence()->origins;
  ASSERT_EQ(origins.size(), 2u);
  EXPECT_EQ(origins[0].claim, Claim::proven);
  EXPECT_EQ(origins[0].advice,
            "A copy cannot invent bits by itself: its source changed while it ran, or was not "
            "captured. look at the pinned buffer");
  EXPECT_EQ(origins[1].advice,
            "A view cannot invent bits by itself: its source changed while it ran, or was not "
            "captured.");
  Walk without(profile);
  without.add_step(0, StepDump(profile, "g").drop("from").diverge("copied").instances());
  EXPECT_EQ(without.first_divergence()->origins.at(0).claim, Claim::suspected);
}

TEST(Walk, SuspectsABufferThatTheProfileGivesNoLaunch) {
  ProfileBuilder p("bare");
  p.buffer("orphan", 'g', DType::f32, {});
  p.buffer("constant", 'g', DType::f32, {}).launch("fill").makes("constant");
  const Profile profile = p.build();
  Walk walk(profile);
  walk.add_step(0, StepDump(profile, "g").diverge("orphan").diverge("constant").instances());
  const auto& origins = walk.first_divergence()->origins;
  ASSERT_EQ(origins.size(), 2u);
  EXPECT_EQ(origins[0].claim, Claim::suspected);
  EXPECT_EQ(origins[0].kernel, "");
  EXPECT_EQ(origins[1].claim, Claim::proven);  // it declares that it reads nothing
}

TEST(Walk, TakesWhatIsMadeOncePerStepFromTheStepsStart) {
  ProfileBuilder p("acting");
  p.buffer("acted", 'a', DType::f32, {}).once_per_step();
  p.buffer("learned", 'g', DType::f32, {});
  p.launch("act").makes("acted");
  p.launch("learn").reads("acted").makes("learned");
  const Profile profile = p.build();
  Walk walk(profile);
  walk.add_step(0, StepDump(profile, "ag", 3).diverge("learned", 2).instances());
  EXPECT_EQ(walk.first_divergence()->origins.at(0).claim, Claim::proven);
  Walk tainted(profile);
  tainted.add_step(0,
                   StepDump(profile, "ag", 3).diverge("acted").diverge("learned", 2).instances());
  EXPECT_EQ(tainted.first_divergence()->origins.size(), 1u);
}

TEST(Walk, TaintsOverOccurrencesAtWhichNothingWasDumped) {
  ProfileBuilder p("relay");
  for (const char* name : {"start", "first", "second", "goal"}) p.buffer(name, 'g', DType::f32, {});
  p.launch("a").makes("start");
  p.launch("b").reads("start", 1).makes("first");
  p.launch("c").reads("first", 1).makes("second");
  p.launch("d").reads("second", 1).makes("goal");
  const Profile profile = p.build();
  StepDump dump(profile, "");
  dump.diverge("start", 0).diverge("goal", 4);  // start k0, first k1, second k2 or k3, goal k4
  Walk walk(profile);
  walk.add_step(0, dump.instances());
  ASSERT_EQ(walk.first_divergence()->origins.size(), 1u);
  EXPECT_EQ(walk.first_divergence()->origins[0].buffer, "start");
}

// Rule 4: what the field knows, over the built-in profile and the field's own dumps.
class FieldRule : public testing::Test {
 protected:
  StepDump bare() { return {builtin_profile(), "ghijk"}; }
  const FirstDivergence& verdict(const StepDump& dump) {
    Walk walk(builtin_profile());
    walk.add_step(1, dump.instances());
    first_ = walk.first_divergence().value();
    return first_;
  }
  FirstDivergence first_;
};

MATCHER_P(NamesKernel, kernel, "") { return arg.kernel == kernel; }
MATCHER_P(IsOf, group, "") { return arg.group == group; }
MATCHER(IsSuspected, "") { return arg.claim == Claim::suspected; }

auto advises(const char* text) { return testing::Contains(HasSubstr(text)); }

TEST_F(FieldRule, OnlyTheSampleDiffers) {
  const auto& first = verdict(bare().diverge_groups("g"));
  EXPECT_THAT(first.origins, Each(NamesKernel("rl_per_sample")));
  EXPECT_EQ(first.origins.size(), 9u);
  EXPECT_THAT(first.origins, Each(IsSuspected()));
  EXPECT_THAT(first.origins[0].undumped_inputs, testing::Contains("per_tree"));
  EXPECT_THAT(first.advice, ElementsAre(HasSubstr("the sample loop, or at what filled the ring")));
}

TEST_F(FieldRule, ASampleWithEverythingDownstreamIsStillTheSample) {
  const auto& first = verdict(bare().diverge_groups("ghij"));
  EXPECT_THAT(first.origins, Each(IsOf('g')));
  EXPECT_THAT(first.advice, Not(advises("the sample loop")));
}

TEST_F(FieldRule, AHeadDiffersFromEqualSamples) {
  const auto& first = verdict(bare().diverge_groups("h"));
  EXPECT_THAT(first.origins, Each(IsSuspected()));
  EXPECT_EQ(first.common_undumped_ancestor, "attn_pool_out");
  EXPECT_THAT(first.advice, advises("noise resampled between two forwards"));
  EXPECT_THAT(first.advice, advises("three sites: mamba2, dqn, iqn"));
}

TEST_F(FieldRule, AGroupWithAnUncomparedBufferDoesNotCountAsEqual) {
  const auto& first = verdict(bare().diverge_groups("h").unknown("sampled_index"));
  EXPECT_THAT(first.advice, Not(advises("noise resampled")));
}

TEST_F(FieldRule, AHeadDiffersButNeitherScratchNorGradient) {
  EXPECT_THAT(verdict(bare().diverge("v_pred")).advice, advises("who reads this head"));
  EXPECT_THAT(verdict(bare().diverge_groups("hj")).advice, Not(advises("who reads this head")));
  EXPECT_THAT(verdict(StepDump(builtin_profile(), "gh").diverge("v_pred")).advice,
              Not(advises("who reads this head")));
}

TEST_F(FieldRule, ScratchDiffersFromAnEqualGradient) {
  const auto& first = verdict(bare().diverge_groups("i"));
  EXPECT_EQ(first.origins.at(0).kernel, "attention_pool_bwd");
  EXPECT_EQ(first.origins.back().kernel, "attention_pool_bwd");
  EXPECT_THAT(first.advice, advises("Start with the most upstream"));
  EXPECT_THAT(first.advice, advises("one block, partial sums added in a fixed thread order"));
}

TEST_F(FieldRule, ScratchIsNamedByItsOwnKernelWhenTheGradientsBetweenAreDumped) {
  StepDump dump(builtin_profile(), "ghijkde");
  const auto& first = verdict(dump.diverge("vsn_grad_w_scratch").diverge("cfc_grad_tau_scratch"));
  ASSERT_EQ(first.origins.size(), 2u);
  EXPECT_EQ(first.origins[0].kernel, "cfc_step_backward_batched");
  EXPECT_EQ(first.origins[1].kernel, "variable_selection_bwd");
}

TEST_F(FieldRule, AGradientAtHNamesItsHead) {
  const auto& first = verdict(bare().diverge("grad_h_t_pi").diverge("grad_h_t_combined"));
  ASSERT_EQ(first.origins.size(), 1u);
  EXPECT_EQ(first.origins[0].kernel, "pi_head_bwd");
  EXPECT_THAT(first.advice, ElementsAre(HasSubstr("that head's backward kernel")));
}

TEST_F(FieldRule, OnlyTheCombinedGradientNamesTheAccumulation) {
  const auto& first = verdict(bare().diverge("grad_h_t_combined"));
  ASSERT_EQ(first.origins.size(), 1u);
  EXPECT_EQ(first.origins[0].kernel, "grad_h_accumulate_scaled");
  EXPECT_THAT(first.origins[0].undumped_inputs, ElementsAre("host_scalars"));
  EXPECT_THAT(first.advice, ElementsAre(HasSubstr("look at the accumulation")));
}

TEST_F(FieldRule, LabelsNameTheUpload) {
  const auto& first = verdict(bare().diverge("outcome_labels"));
  ASSERT_EQ(first.origins.size(), 1u);
  EXPECT_EQ(first.origins[0].kernel, "outcome_label_upload");
  EXPECT_THAT(first.origins[0].undumped_inputs, ElementsAre("host_outcome_labels"));
  EXPECT_THAT(first.advice, ElementsAre(HasSubstr("the label upload")));
}

TEST_F(FieldRule, TheOutcomeHeadsWeightsNameTheLastUpdate) {
  const auto& first = verdict(bare().diverge("outcome_w").diverge("outcome_b"));
  EXPECT_EQ(first.common_undumped_ancestor, "params[-1]");
  EXPECT_THAT(first.advice, ElementsAre(HasSubstr("the last update")));
}

TEST_F(FieldRule, AFinalGradientFromEqualScratchNamesTheReducer) {
  const auto& first = verdict(StepDump(builtin_profile(), "ghijkl").diverge("grad_cfc_w_in"));
  ASSERT_EQ(first.origins.size(), 1u);
  EXPECT_EQ(first.origins[0].kernel, "reduce_axis0");
  EXPECT_EQ(first.origins[0].site, "cfc_w_in");
  EXPECT_EQ(first.origins[0].claim, Claim::proven);
  EXPECT_THAT(first.advice, ElementsAre(HasSubstr("look at the reducer")));
}

TEST_F(FieldRule, LosesNoOriginWhenEverythingDiffers) {
  const auto& bare_verdict = verdict(bare().diverge_groups("ghijk"));
  std::vector<std::string> kernels;
  for (const Origin& origin : bare_verdict.origins) kernels.push_back(origin.kernel);
  const std::vector<std::string> expected = {"rl_per_sample", "rl_per_sample", "rl_per_sample",
                                             "rl_per_sample", "rl_per_sample", "rl_per_sample",
                                             "rl_per_sample", "rl_per_sample", "rl_per_sample",
                                             "view",          "view"};
  EXPECT_EQ(kernels, expected);
  EXPECT_EQ(bare_verdict.groups, "ghijk");

  StepDump whole(builtin_profile(), "arpgehtkjdilm");
  std::vector<std::string> names;
  for (const Origin& origin : verdict(whole.diverge_groups("arpgehtkjdilm")).origins) {
    names.push_back(origin.buffer);
  }
  // What the host made, and what reads only what was before the window.
  EXPECT_THAT(names,
              ElementsAre("rng_counters", "host_scalars", "act_window", "act_h_t",
                          "replay_priorities", "replay_priority_max", "replay_h_t", "replay_h_tp1",
                          "replay_window", "replay_actions", "replay_rewards", "replay_dones",
                          "replay_log_pi_old", "outcome_w", "outcome_b"));
}

TEST_F(FieldRule, NeverProvesFromTheFieldsOwnGroupsWhatTheEncoderMayHaveDone) {
  for (const char* name : {"attn_grad_q_scratch", "vsn_grad_b_scratch", "pi_logits"}) {
    EXPECT_THAT(verdict(bare().diverge(name)).origins, Each(IsSuspected())) << name;
  }
}

}  // namespace
}  // namespace foxhunt
